package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

// authority signs the serving certificate and those of the users; it lives as long as the directory.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// writeCredentials writes all that the server and its clients need to know each other.
func (f files) writeCredentials(port int) error {
	signer, err := newAuthority()
	if err != nil {
		return err
	}
	if err := writePair(f.ca, encodeCertificate(signer.certificate.Raw), signer.key); err != nil {
		return err
	}
	serving, err := signer.sign(&x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:    []string{"localhost"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	if err != nil {
		return err
	}
	if err := writePair(f.serving, encodeCertificate(serving.Certificate[0]), serving.PrivateKey); err != nil {
		return err
	}
	accounts, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&accounts.PublicKey)
	if err != nil {
		return err
	}
	publicText := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	if err := writePair(f.serviceAccounts, publicText, accounts); err != nil {
		return err
	}
	// The group system:masters may do everything and no RBAC rule can take that away; "tester" starts with what every
	// authenticated user has.
	if err := f.writeKubeconfig(f.adminKubeconfig, signer, port, "admin", "system:masters"); err != nil {
		return err
	}
	return f.writeKubeconfig(f.testerKubeconfig, signer, port, "tester")
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "larder-test-ca"},
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	if err := setValidity(template); err != nil {
		return nil, err
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(raw)
	if err != nil {
		return nil, err
	}
	return &authority{certificate, key}, nil
}

func readAuthority(paths pair) (*authority, error) {
	loaded, err := tls.LoadX509KeyPair(paths.certificate, paths.key)
	if err != nil {
		return nil, fmt.Errorf("reading the test authority: %w", err)
	}
	certificate, err := x509.ParseCertificate(loaded.Certificate[0])
	if err != nil {
		return nil, err
	}
	key, isECDSA := loaded.PrivateKey.(*ecdsa.PrivateKey)
	if !isECDSA {
		return nil, errors.New("the test authority's key is not an ECDSA key")
	}
	return &authority{certificate, key}, nil
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// clientCertificate is one by which the API server knows the bearer as user, a member of groups.
func (a *authority) clientCertificate(user string, groups ...string) (tls.Certificate, error) {
	return a.sign(&x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

func (a *authority) sign(template *x509.Certificate) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	if err := setValidity(template); err != nil {
		return tls.Certificate{}, err
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}, nil
}

func setValidity(template *x509.Certificate) error {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return err
	}
	now := time.Now()
	template.SerialNumber = serial
	template.NotBefore, template.NotAfter = now.Add(-time.Hour), now.Add(7*24*time.Hour)
	return nil
}

func encodeCertificate(raw []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})
}

func encodeKey(key any) ([]byte, error) {
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}), nil
}

func writePair(paths pair, certificate []byte, key any) error {
	encoded, err := encodeKey(key)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(paths.certificate, certificate, 0o600), os.WriteFile(paths.key, encoded, 0o600))
}

const kubeconfigFormat = `apiVersion: v1
kind: Config
current-context: larder-test
contexts:
- name: larder-test
  context: {cluster: larder-test, user: %[1]s, namespace: default}
clusters:
- name: larder-test
  cluster:
    server: https://127.0.0.1:%[2]d
    certificate-authority-data: %[3]s
users:
- name: %[1]s
  user:
    client-certificate-data: %[4]s
    client-key-data: %[5]s
`

func (f files) writeKubeconfig(path string, signer *authority, port int, user string, groups ...string) error {
	certificate, err := signer.clientCertificate(user, groups...)
	if err != nil {
		return err
	}
	key, err := encodeKey(certificate.PrivateKey)
	if err != nil {
		return err
	}
	encode := base64.StdEncoding.EncodeToString
	text := fmt.Sprintf(kubeconfigFormat, user, port,
		encode(encodeCertificate(signer.certificate.Raw)), encode(encodeCertificate(certificate.Certificate[0])), encode(key))
	return os.WriteFile(path, []byte(text), 0o600)
}
