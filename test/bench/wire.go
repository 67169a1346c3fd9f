package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// wire is one HTTP connection that is kept alive. It costs far less than net/http's
// client, which shares the processors with the servers it would measure.
type wire struct {
	conn     net.Conn
	in       *bufio.Reader
	patience time.Duration
}

// patience is how long an answer may take, on however busy a machine.
const patience = 30 * time.Second

func dial(addr string) (*wire, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &wire{conn: conn, in: bufio.NewReader(conn), patience: patience}, nil
}

func (w *wire) close() error { return w.conn.Close() }

var errChunked = errors.New("the answer has no length")

// exchange sends a whole request and answers with the status. Bodies need a length.
func (w *wire) exchange(request []byte) (status int, err error) {
	if err := w.conn.SetDeadline(time.Now().Add(w.patience)); err != nil {
		return 0, err
	}
	if _, err := w.conn.Write(request); err != nil {
		return 0, err
	}
	line, err := w.in.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < len("HTTP/1.1 200") {
		return 0, fmt.Errorf("the answer begins with %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, fmt.Errorf("the answer begins with %q", line)
	}
	length, err := w.head(status)
	if err != nil {
		return 0, err
	}
	_, err = w.in.Discard(length)
	return status, err
}

// head reads what follows the status line and answers with the body's length.
func (w *wire) head(status int) (length int, err error) {
	length = -1
	if status == 204 || status == 304 {
		length = 0
	}
	for {
		line, err := w.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, err
			}
		}
	}
	if length < 0 {
		return 0, errChunked
	}
	return length, nil
}

// request is an HTTP request as it goes over the wire.
func request(method, path, body string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: bench\r\n", method, path)
	if body != "" {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	} else if method != "GET" {
		b.WriteString("Content-Length: 0\r\n")
	}
	b.WriteString("\r\n")
	_, _ = io.WriteString(&b, body)
	return b.Bytes()
}
