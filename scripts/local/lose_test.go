package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestAWorkerIsLostOnlyWithAnEventInHand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLoss()
		lost := make(chan struct{})
		go l.run(t.Context(), time.Minute, func() { close(lost) })
		l.hold("sample-job-000001", nil) // not armed yet: answers at once
		synctest.Wait()
		select {
		case <-lost:
			t.Fatal("lost before its time")
		default:
		}
		time.Sleep(2 * time.Minute) //nolint:forbidigo // the test's own clock
		synctest.Wait()
		select {
		case <-lost:
			t.Fatal("lost with nothing in hand")
		default:
		}
		l.hold("sample-job-000002", nil) // held until the worker is gone
		<-lost
		synctest.Wait()
		if got := l.event(); got != "sample-job-000002" {
			t.Errorf("lost with %q in hand", got)
		}
		l.hold("sample-job-000003", nil) // only one is lost
	})
}

func TestNobodyIsHeldWhenTheRunEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLoss()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); l.run(ctx, time.Second, func() { t.Error("lost") }) }()
		time.Sleep(2 * time.Second) //nolint:forbidigo // the test's own clock
		synctest.Wait()
		cancel()
		<-done
		l.hold("sample-job-000001", nil)
	})
}
