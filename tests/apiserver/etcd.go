package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
)

const (
	etcdStartLimit   = 60 * time.Second
	compactLimit     = 60 * time.Second
	compactRecordKey = "compact_rev_key" // as in k8s.io/apiserver/pkg/storage/etcd3/compact.go
	bumpKey          = "larder_bump"
)

// etcd is a one-member etcd inside this process.
type etcd struct {
	server *embed.Etcd
	client *clientv3.Client
}

func startEtcd(ctx context.Context, files files) (*etcd, error) {
	config := embed.NewConfig()
	config.Dir = files.etcdData
	config.LogLevel = "warn"
	config.LogOutputs = []string{files.etcdLog}
	// Port 0: the kernel picks a free one, so two clusters never race for it. What a lone member advertises is not used.
	loopback := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	config.ListenClientUrls = []url.URL{loopback}
	config.AdvertiseClientUrls = []url.URL{loopback}
	config.ListenPeerUrls = []url.URL{loopback}
	config.AdvertisePeerUrls = []url.URL{loopback}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	// The data dies with the process, so waiting for the disk proves nothing.
	config.UnsafeNoFsync = true
	// As installers of real clusters set it; the API server's watch cache learns of progress on quiet kinds by it.
	config.WatchProgressNotifyInterval = 5 * time.Second

	server, err := embed.StartEtcd(config)
	if err != nil {
		return nil, err
	}
	started := &etcd{server: server}
	select {
	case <-server.Server.ReadyNotify():
	case err := <-server.Err():
		started.close()
		return nil, err
	case <-ctx.Done():
		started.close()
		return nil, context.Cause(ctx)
	case <-time.After(etcdStartLimit):
		started.close()
		return nil, fmt.Errorf("etcd was not ready after %s", etcdStartLimit)
	}
	started.client = v3client.New(server.Server)
	return started, nil
}

func (e *etcd) address() string {
	return "http://" + e.server.Clients[0].Addr().String()
}

func (e *etcd) failed() <-chan error { return e.server.Err() }

// compact makes every version that was handed out so far unreadable, for gets and for watches, and returns the revision it
// compacted at.
//
// A watch that resumes at version v asks etcd for v+1, so two further revisions are made first. The revision is recorded
// where API servers record their own compactions: a watch cache answers lists at an exact version from memory until it learns
// from that key that the version is gone.
func (e *etcd) compact(ctx context.Context) (int64, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, compactLimit, fmt.Errorf("compacting took more than %s", compactLimit))
	defer cancel()
	var revision int64
	for range 2 {
		put, err := e.client.Put(ctx, bumpKey, "")
		if err != nil {
			return 0, fmt.Errorf("making a revision to compact at: %w", err)
		}
		revision = put.Header.Revision
	}
	if _, err := e.client.Put(ctx, compactRecordKey, strconv.FormatInt(revision, 10)); err != nil {
		return 0, fmt.Errorf("recording the compaction: %w", err)
	}
	if _, err := e.client.Compact(ctx, revision, clientv3.WithCompactPhysical()); err != nil {
		return 0, fmt.Errorf("compacting at revision %d: %w", revision, err)
	}
	return revision, nil
}

func (e *etcd) close() {
	if e.client != nil {
		e.client.Close()
	}
	e.server.Close()
}
