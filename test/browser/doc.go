// Package browser drives the console in Chromium, against the real functions over an
// in-memory Pub/Sub: events are published, pushed, parked and dead-lettered as they
// would be, and people's clicks settle them. Its tests are built with the tag
// "browser"; scripts/test browser runs them. Pictures of every page are left in
// test/artefacts/browser.
package browser
