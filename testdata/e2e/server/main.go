// Command server is a small cluster in one process: etcd, the Kubernetes API
// server and the controller that empties and removes namespaces. It prints the
// path of a kubeconfig when it is ready, stops when its stdin ends, however that
// comes about, and leaves no file behind.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/embed"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/pkg/controller/namespace"
)

// token is an administrator's, on loopback and for a few minutes.
const token = "administrator"

func main() {
	dir, err := os.MkdirTemp("", "provision-tenants-server-*")
	if err == nil {
		err = serve(dir)
	}
	_ = os.RemoveAll(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve returns when stdin ends or somebody says so, or with what stopped a server
// before.
func serve(dir string) error {
	etcd, err := startEtcd(dir)
	if err != nil {
		return err
	}
	defer etcd.Close() // it writes until then
	failed := make(chan error, 1)
	address, err := startAPIServer(dir, "http://"+etcd.Clients[0].Addr().String(), failed)
	if err != nil {
		return err
	}
	config, err := writeKubeconfig(dir, address)
	if err != nil {
		return err
	}
	go func() {
		if err := ready(address, config); err != nil {
			failed <- err
		} else if err := startNamespaceController(config); err != nil {
			failed <- err
		} else {
			fmt.Fprintln(os.Stdout, config)
		}
	}()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		failed <- nil
	}()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	select {
	case <-stop:
		return nil
	case err := <-failed:
		return err
	}
}

func startEtcd(dir string) (*embed.Etcd, error) {
	config := embed.NewConfig()
	config.Dir = filepath.Join(dir, "etcd")
	config.LogLevel = "error"
	config.UnsafeNoFsync = true
	config.EnableGRPCGateway = false // it would look for the free port at the port 0
	free := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	config.ListenClientUrls, config.AdvertiseClientUrls = free, free
	config.ListenPeerUrls, config.AdvertisePeerUrls = free, free
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case err := <-etcd.Err():
		return nil, err
	}
}

// startAPIServer returns the address it listens at. What stops it later is sent
// to failed.
func startAPIServer(dir, etcd string, failed chan<- error) (string, error) {
	key, err := writeKey(dir)
	if err != nil {
		return "", err
	}
	tokens := filepath.Join(dir, "tokens.csv")
	if err := os.WriteFile(tokens, []byte(token+",admin,admin,system:masters\n"), 0o600); err != nil {
		return "", err
	}
	run := options.NewServerRunOptions()
	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, set := range run.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	if err := flags.Parse([]string{
		"--authorization-mode=RBAC",
		"--bind-address=127.0.0.1",
		"--cert-dir=" + dir,
		"--disable-admission-plugins=ServiceAccount", // no controller makes the accounts
		"--endpoint-reconciler-type=none",
		"--etcd-servers=" + etcd,
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + key,
		"--service-account-signing-key-file=" + key,
		"--service-cluster-ip-range=10.0.0.0/24",
		"--token-auth-file=" + tokens,
	}); err != nil {
		return "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	run.SecureServing.Listener = listener
	run.SecureServing.BindPort = listener.Addr().(*net.TCPAddr).Port
	return listener.Addr().String(), start(run, failed)
}

func start(run *options.ServerRunOptions, failed chan<- error) error {
	if err := run.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return err
	}
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	ctx := context.Background()
	completed, err := run.Complete(ctx)
	if err != nil {
		return err
	}
	if faults := completed.Validate(); len(faults) > 0 {
		return errors.Join(faults...)
	}
	go func() { failed <- app.Run(ctx, completed) }()
	return nil
}

// writeKey makes the key of service account tokens, which nobody asks for.
func writeKey(dir string) (string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "service-accounts.key")
	return path, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)
}

func writeKubeconfig(dir, address string) (string, error) {
	config := api.NewConfig()
	config.Clusters["e2e"] = &api.Cluster{Server: "https://" + address, CertificateAuthority: filepath.Join(dir, "apiserver.crt")}
	config.AuthInfos["e2e"] = &api.AuthInfo{Token: token}
	config.Contexts["e2e"] = &api.Context{Cluster: "e2e", AuthInfo: "e2e", Namespace: "default"}
	config.CurrentContext = "e2e"
	path := filepath.Join(dir, "kubeconfig")
	return path, clientcmd.WriteToFile(*config, path)
}

func startNamespaceController(kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	objects, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx := context.Background()
	factory := informers.NewSharedInformerFactory(client, 0)
	controller := namespace.NewNamespaceController(ctx, client, objects, client.Discovery().ServerPreferredNamespacedResources,
		factory.Core().V1().Namespaces(), 0, corev1.FinalizerKubernetes)
	factory.Start(ctx.Done())
	go controller.Run(ctx, 4)
	return nil
}

// ready waits until the server says that it is, at most some minutes.
func ready(address, kubeconfig string) error {
	var last error
	for range 1800 {
		if last = probe("https://"+address+"/readyz", kubeconfig); last == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("the API server does not become ready: %w", last)
}

func probe(address, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return err // the certificate is not there yet
	}
	response, err := client.Get(address)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}
