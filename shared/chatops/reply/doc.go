// Package reply posts and edits messages through the Chat API, over plain HTTP
// with the API's own types.
//
// A message is posted under a request ID: Chat answers a repeat with the message
// that it made first. A post therefore may be repeated, here and by whoever
// calls; when the first one's text is another (a "working" that was posted
// before a crash), it is edited.
//
// The generated client is not used: it needs credentials at construction,
// retries by its own rules, and can't be pointed at a stand-in without options
// that the rest of the process would share.
package reply
