// Package doctor looks at a live installation and says what is wrong with it, each
// finding with the command that mends it.
//
// It reads by REST: the same few requests serve Google Cloud, Google's Pub/Sub emulator
// and a test's server, and no client library comes with it. What it may not see, can't
// reach, or has no emulator for is "unchecked", which is never taken for sound.
//
// It judges by rules, not by the letter of infra/deploy.yaml: that scripts/provision
// --diff compares. Times are those of the running services' own environment.
package doctor
