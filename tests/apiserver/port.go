package main

import (
	"errors"

	"golang.org/x/sys/unix"
)

// reservedPort is a loopback port that is ours although nothing listens on it: a connection to it is refused, nobody else
// is given it, and a listener of the same user that also sets SO_REUSEPORT may take it again and again.
type reservedPort struct {
	number     int
	descriptor int
}

func reservePort() (*reservedPort, error) {
	descriptor, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(descriptor)
	port := &reservedPort{descriptor: descriptor}
	if err := port.bind(); err != nil {
		return nil, errors.Join(err, port.release())
	}
	return port, nil
}

func (p *reservedPort) bind() error {
	if err := unix.SetsockoptInt(p.descriptor, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return err
	}
	if err := unix.Bind(p.descriptor, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	bound, err := unix.Getsockname(p.descriptor)
	if err != nil {
		return err
	}
	address, isIPv4 := bound.(*unix.SockaddrInet4)
	if !isIPv4 {
		return errors.New("the loopback socket has no IPv4 address")
	}
	p.number = address.Port
	return nil
}

func (p *reservedPort) release() error { return unix.Close(p.descriptor) }
