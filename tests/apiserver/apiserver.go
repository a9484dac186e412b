package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

const (
	childArgument = "kube-apiserver"
	readyLimit    = 90 * time.Second
	readyPoll     = 50 * time.Millisecond
	stopLimit     = 15 * time.Second
	killLimit     = 10 * time.Second
)

// runChild is the API server itself. It ends when its standard input does, so that it never outlives its supervisor.
func runChild(flags []string) int {
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	command := app.NewAPIServerCommand()
	command.SetArgs(flags)
	if err := command.Execute(); err != nil {
		return 1
	}
	return 0
}

// apiServer supervises the child. Its port, its certificates and etcd stay the same from start to start.
type apiServer struct {
	files       files
	port        *reservedPort
	etcdAddress string
	extraFlags  []string
	child       *child // nil while stopped
}

type child struct {
	process *os.Process
	input   io.Closer
	ended   chan struct{} // closed after err is set
	err     error
}

// start returns once the server is ready, and leaves none running otherwise.
func (a *apiServer) start(ctx context.Context) error {
	if a.child != nil {
		return errors.New("the API server runs already")
	}
	started, err := a.spawn()
	if err != nil {
		return err
	}
	a.child = started
	if err := a.waitReady(ctx); err != nil {
		return errors.Join(fmt.Errorf("%w; log: %s", err, a.files.apiServerLog), a.kill())
	}
	return nil
}

func (a *apiServer) spawn() (*child, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program's own path: %w", err)
	}
	log, err := os.OpenFile(a.files.apiServerLog, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	command := exec.Command(binary, append([]string{childArgument}, a.flags()...)...)
	command.Stdout, command.Stderr = log, log
	// A small heap matters more than speed: many tests may each run a server.
	command.Env = append(os.Environ(), "GOGC=50")
	// A terminal's interrupt reaches the supervisor alone, which then stops the child in its own way.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("running %s %s: %w", binary, childArgument, err)
	}
	started := &child{process: command.Process, input: input, ended: make(chan struct{})}
	go func() {
		started.err = command.Wait()
		if started.err == nil {
			started.err = errors.New("exit status 0")
		}
		close(started.ended)
	}()
	return started, nil
}

func (a *apiServer) flags() []string {
	flags := []string{
		"--etcd-servers=" + a.etcdAddress,
		// Compaction happens when a test says so, and never otherwise.
		"--etcd-compaction-interval=0",
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(a.port.number),
		"--permit-port-sharing=true",
		"--tls-cert-file=" + a.files.serving.certificate,
		"--tls-private-key-file=" + a.files.serving.key,
		"--client-ca-file=" + a.files.ca.certificate,
		"--service-account-issuer=https://larder.invalid",
		"--service-account-key-file=" + a.files.serviceAccounts.certificate,
		"--service-account-signing-key-file=" + a.files.serviceAccounts.key,
		"--service-cluster-ip-range=10.0.0.0/24",
		"--authorization-mode=RBAC",
		// A loopback address is refused as the endpoint of the service "kubernetes".
		"--endpoint-reconciler-type=none",
		// No controller manager runs here, so no namespace ever gets the account that this plugin demands.
		"--disable-admission-plugins=ServiceAccount",
		// Without it a watch does not end with the server, which then waits a minute for its connection.
		"--shutdown-watch-termination-grace-period=5s",
		"--profiling=false",
	}
	return append(flags, a.extraFlags...)
}

// waitReady polls until the server says it is ready and the namespace "default", which it makes for itself, is there.
func (a *apiServer) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	client, err := a.adminClient()
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	last := errors.New("no answer yet")
	for {
		last = errors.Join(a.probe(ctx, client, "/readyz"), a.probe(ctx, client, "/api/v1/namespaces/default"))
		if last == nil {
			return nil
		}
		select {
		case <-time.After(readyPoll):
		case <-a.child.ended:
			return fmt.Errorf("the API server ended before it was ready: %w", a.child.err)
		case <-ctx.Done():
			return fmt.Errorf("waiting up to %s for the API server to be ready: %w (last: %w)", readyLimit, ctx.Err(), last)
		}
	}
}

func (a *apiServer) adminClient() (*http.Client, error) {
	authority, err := readAuthority(a.files.ca)
	if err != nil {
		return nil, err
	}
	certificate, err := authority.clientCertificate("larder-supervisor", "system:masters")
	if err != nil {
		return nil, err
	}
	config := &tls.Config{RootCAs: authority.pool(), Certificates: []tls.Certificate{certificate}}
	return &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{TLSClientConfig: config}}, nil
}

func (a *apiServer) probe(ctx context.Context, client *http.Client, path string) error {
	url := "https://127.0.0.1:" + strconv.Itoa(a.port.number) + path
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", path, response.Status)
	}
	return nil
}

// ended is closed once a server that should run has ended; it is nil, so blocks for ever, while the server is stopped on
// purpose.
func (a *apiServer) ended() <-chan struct{} {
	if a.child == nil {
		return nil
	}
	return a.child.ended
}

// stop asks the server to end in good order: watches end, requests in flight are answered.
func (a *apiServer) stop() error { return a.end(syscall.SIGTERM, stopLimit) }

// kill ends the server at once: connections are cut wherever they are.
func (a *apiServer) kill() error { return a.end(syscall.SIGKILL, killLimit) }

func (a *apiServer) end(signal syscall.Signal, limit time.Duration) error {
	running := a.child
	if running == nil {
		return errors.New("the API server is stopped already")
	}
	// An error means that it has ended, and then the wait is short.
	_ = running.process.Signal(signal)
	err := within(limit, fmt.Sprintf("the API server's end after %s", signal), running.ended)
	if err != nil {
		_ = running.process.Kill()
		if killErr := within(killLimit, "the API server's end after a kill", running.ended); killErr != nil {
			return errors.Join(err, killErr)
		}
	}
	a.child = nil
	return errors.Join(err, ignoreClosed(running.input.Close()))
}

func (a *apiServer) close() error {
	var err error
	if a.child != nil {
		err = a.kill()
	}
	return errors.Join(err, a.port.release())
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}
