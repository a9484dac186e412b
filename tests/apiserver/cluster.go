package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// cluster is one etcd, one API server (running or stopped) and the directory that holds all they need.
type cluster struct {
	files files
	etcd  *etcd
	api   *apiServer
}

// startCluster returns once the API server answers as ready. On an error nothing is left behind but the log, whose path
// the error names.
func startCluster(ctx context.Context, apiServerFlags []string) (*cluster, error) {
	files, err := makeFiles()
	if err != nil {
		return nil, err
	}
	c := &cluster{files: files}
	if err := c.start(ctx, apiServerFlags); err != nil {
		err = fmt.Errorf("%w\n%s", err, c.logTail())
		return nil, errors.Join(err, c.close(ctx.Err() == nil))
	}
	return c, nil
}

func (c *cluster) start(ctx context.Context, apiServerFlags []string) error {
	port, err := reservePort()
	if err != nil {
		return fmt.Errorf("reserving a port for the API server: %w", err)
	}
	c.api = &apiServer{files: c.files, port: port, extraFlags: apiServerFlags}
	if err := c.files.writeCredentials(port.number); err != nil {
		return fmt.Errorf("writing certificates and kubeconfigs: %w", err)
	}
	c.etcd, err = startEtcd(ctx, c.files)
	if err != nil {
		return fmt.Errorf("starting etcd: %w", err)
	}
	c.api.etcdAddress = c.etcd.address()
	if err := c.api.start(ctx); err != nil {
		return fmt.Errorf("starting the API server: %w", err)
	}
	return nil
}

// serve answers commands until they end (nil), ctx ends (nil) or a process that should run has died (its error).
func (c *cluster) serve(ctx context.Context, commands <-chan string, out io.Writer) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.api.ended():
			return fmt.Errorf("the API server ended by itself: %w; its log: %s", c.api.child.err, c.files.apiServerLog)
		case err := <-c.etcd.failed():
			return fmt.Errorf("etcd failed: %w; its log: %s", err, c.files.etcdLog)
		case line, open := <-commands:
			if !open || strings.TrimSpace(line) == "quit" {
				return nil
			}
			c.answer(ctx, strings.TrimSpace(line), out)
		}
	}
}

// answer runs one command and writes exactly one line about it.
func (c *cluster) answer(ctx context.Context, command string, out io.Writer) {
	if command == "" {
		return
	}
	detail, err := c.do(ctx, command)
	if err != nil {
		fmt.Fprintf(out, "error %s: %s\n", command, oneLine(err))
		return
	}
	fmt.Fprintln(out, strings.TrimSpace("ok "+command+" "+detail))
}

func (c *cluster) do(ctx context.Context, command string) (detail string, err error) {
	switch command {
	case "compact":
		revision, err := c.etcd.compact(ctx)
		return fmt.Sprint(revision), err
	case "restart":
		if err := c.api.stop(); err != nil {
			return "", err
		}
		return "", c.api.start(ctx)
	case "stop-apiserver":
		return "", c.api.stop()
	case "kill-apiserver":
		return "", c.api.kill()
	case "start-apiserver":
		return "", c.api.start(ctx)
	default:
		return "", errors.New("unknown command; known are compact, restart, stop-apiserver, kill-apiserver, start-apiserver, quit")
	}
}

// close stops what runs and removes the directory; keepLogs leaves the two logs in it.
func (c *cluster) close(keepLogs bool) error {
	var errs []error
	if c.api != nil {
		errs = append(errs, c.api.close())
	}
	if c.etcd != nil {
		c.etcd.close()
	}
	if keepLogs {
		return errors.Join(append(errs, c.files.removeAllButLogs())...)
	}
	return errors.Join(append(errs, os.RemoveAll(c.files.directory))...)
}

// logTail returns the last lines of the API server's log, or of etcd's where there is none yet.
func (c *cluster) logTail() string {
	const lines, bytes = 20, 64 << 10
	for _, path := range []string{c.files.apiServerLog, c.files.etcdLog} {
		text, err := os.ReadFile(path)
		if err != nil || len(text) == 0 {
			continue
		}
		tail := strings.Split(strings.TrimRight(string(text[max(0, len(text)-bytes):]), "\n"), "\n")
		tail = tail[max(0, len(tail)-lines):]
		return fmt.Sprintf("last lines of %s:\n%s\n", path, strings.Join(tail, "\n"))
	}
	return fmt.Sprintf("no log was written in %s\n", c.files.directory)
}

// oneLine makes an error fit the line protocol.
func oneLine(err error) string {
	return strings.Join(strings.Split(strings.TrimSpace(err.Error()), "\n"), "; ")
}

// within waits for done under a deadline that names what was waited for.
func within(limit time.Duration, what string, done <-chan struct{}) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return nil
	case <-timer.C:
		return fmt.Errorf("%s took more than %s", what, limit)
	}
}

// files are the paths of everything inside the one directory of a cluster.
type files struct {
	directory        string
	etcdData         string
	etcdLog          string
	apiServerLog     string
	adminKubeconfig  string
	testerKubeconfig string
	ca               pair
	serving          pair
	serviceAccounts  pair
}

// pair is a certificate (or public key) and its private key.
type pair struct{ certificate, key string }

func makeFiles() (files, error) {
	directory, err := os.MkdirTemp("", "larder-apiserver-")
	if err != nil {
		return files{}, fmt.Errorf("making the directory for all data: %w", err)
	}
	at := func(name string) string { return filepath.Join(directory, name) }
	return files{
		directory:        directory,
		etcdData:         at("etcd"),
		etcdLog:          at("etcd.log"),
		apiServerLog:     at("kube-apiserver.log"),
		adminKubeconfig:  at("admin.kubeconfig"),
		testerKubeconfig: at("tester.kubeconfig"),
		ca:               pair{at("ca.crt"), at("ca.key")},
		serving:          pair{at("serving.crt"), at("serving.key")},
		serviceAccounts:  pair{at("sa.pub"), at("sa.key")},
	}, nil
}

func (f files) removeAllButLogs() error {
	entries, err := os.ReadDir(f.directory)
	if err != nil {
		return err
	}
	var errs []error
	for _, entry := range entries {
		path := filepath.Join(f.directory, entry.Name())
		if path != f.etcdLog && path != f.apiServerLog {
			errs = append(errs, os.RemoveAll(path))
		}
	}
	return errors.Join(errs...)
}
