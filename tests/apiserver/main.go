// Command apiserver runs a real etcd and a real kube-apiserver on loopback ports for tests. README.md describes the
// protocol on its standard input and output.
//
// etcd and the supervisor live in this process. The API server is the same binary started again as a child, because
// kube-apiserver registers feature gates, metrics and informer names process-wide and cannot be started twice, and because
// a server that dies without saying goodbye is one of the things the tests are about.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == childArgument {
		os.Exit(runChild(os.Args[2:]))
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run starts everything, serves commands until the input ends, a signal arrives or the API server dies, and cleans up.
// It returns the exit code.
func run(apiServerFlags []string, in io.Reader, out, diagnostics io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	// Nobody reads our answers once the test is gone; the end of the input then tells us to stop, not a broken pipe.
	signal.Ignore(syscall.SIGPIPE)

	lines := readLines(in)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	commands := make(chan string)
	go func() {
		defer close(commands)
		for line := range lines {
			select {
			case commands <- line:
			case <-ctx.Done():
				return
			}
		}
		// Also ends a start or restart that is still waiting.
		cancel(io.EOF)
	}()

	server, err := startCluster(ctx, apiServerFlags)
	if err != nil {
		if ctx.Err() != nil {
			return 0
		}
		fmt.Fprintf(out, "failed %v\n", oneLine(err))
		fmt.Fprintf(diagnostics, "apiserver: %v\n", err)
		return 1
	}
	fmt.Fprintf(out, "ready %s\n", server.files.adminKubeconfig)

	err = server.serve(ctx, commands, out)
	if err != nil {
		fmt.Fprintf(out, "failed %v\n", oneLine(err))
		fmt.Fprintf(diagnostics, "apiserver: %v\n%s", err, server.logTail())
	}
	if closeErr := server.close(err != nil); closeErr != nil {
		fmt.Fprintf(diagnostics, "apiserver: cleaning up: %v\n", closeErr)
	}
	if err != nil {
		return 1
	}
	return 0
}

// readLines delivers the lines of in and closes the channel at its end. The reading goroutine cannot be interrupted, so it
// never blocks on anything else than in and the channel of one line.
func readLines(in io.Reader) <-chan string {
	lines := make(chan string, 16)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(in)
		for scanner.Scan() {
			lines <- scanner.Text()
		}
	}()
	return lines
}
