package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

// frontProxy is whom aggregated servers believe when told who asks.
const frontProxy = "front-proxy"

// authority signs the certificates of one cluster.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority() (*authority, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := certificate("onceway-test-ca", nil)
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &authority{cert, key}, encode("CERTIFICATE", der), err
}

func certificate(name string, dns []string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62)) // crypto/rand doesn't fail
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		DNSNames:    dns, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
}

// issue answers with a certificate and its key, as PEM.
func (a *authority) issue(name string, dns ...string) (cert, key []byte, err error) {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, certificate(name, dns), a.cert, k.Public(), a.key)
	if err != nil {
		return nil, nil, err
	}
	key, err = encodeKey(k)
	return encode("CERTIFICATE", der), key, err
}

// ServerTLS is for a server that the API server calls as one of those names: it has
// a certificate that CA signed, and admits callers with one alone.
func (c *Cluster) ServerTLS(dns ...string) (*tls.Config, error) {
	cert, key, err := c.ca.issue(dns[0], dns...)
	if err != nil {
		return nil, fmt.Errorf("issue certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(c.ca.cert)
	return &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}, nil
}

func (c *Cluster) writeCertificates() error {
	ca, caPEM, err := newAuthority()
	if err != nil {
		return fmt.Errorf("make authority: %w", err)
	}
	c.ca, c.CA = ca, caPEM
	server, serverKey, err1 := ca.issue("kube-apiserver", "localhost", "kubernetes.default.svc")
	proxy, proxyKey, err2 := ca.issue(frontProxy)
	_, accounts, err3 := ca.issue("service-accounts")
	errs := []error{err1, err2, err3}
	for name, data := range map[string][]byte{
		"ca.crt": caPEM, "apiserver.crt": server, "apiserver.key": serverKey,
		"front-proxy.crt": proxy, "front-proxy.key": proxyKey, "accounts.key": accounts,
		"tokens.csv": []byte(c.Token + `,admin,admin,"system:masters"` + "\n"),
	} {
		errs = append(errs, os.WriteFile(c.file(name), data, 0o600))
	}
	return errors.Join(errs...)
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func encodeKey(k *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(k)
	return encode("EC PRIVATE KEY", der), err
}
