package envelope

import (
	"net/http"
	"strings"
)

const (
	subscriptionHeader = "X-Goog-Pubsub-Subscription-Name"
	publishTimeHeader  = "X-Goog-Pubsub-Publish-Time"
	orderingKeyHeader  = "X-Goog-Pubsub-Ordering-Key"
	// emulatorOrderingKeyHeader is how the emulator calls it.
	emulatorOrderingKeyHeader = "X-Goog-Ordering-Key"
)

// formType is the content type that the emulator gives to every body without one
// of its own. It says nothing about the message.
const formType = "application/x-www-form-urlencoded"

// unwrapped reads a push whose body is the message's data.
func unwrapped(h http.Header, body []byte) Pulled {
	p := Pulled{
		ID:           h.Get(messageIDHeader),
		Data:         body,
		Attributes:   make(map[string]string, len(h)),
		OrderingKey:  h.Get(orderingKeyHeader),
		PublishTime:  firstTime(h.Get(publishTimeHeader)),
		Subscription: h.Get(subscriptionHeader),
	}
	if p.OrderingKey == "" {
		p.OrderingKey = h.Get(emulatorOrderingKeyHeader)
	}
	for name, values := range h {
		if len(values) == 0 || ofTransport(name) || (name == contentTypeHeader && values[0] == formType) {
			continue
		}
		p.Attributes[strings.ToLower(name)] = values[0]
	}
	return p
}

// ofTransport reports whether a header belongs to HTTP, to the platform in front
// of the service or to Pub/Sub itself, and so is no attribute. Credentials are
// among them: they must not travel on into dead letters.
func ofTransport(name string) bool {
	switch name {
	case "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Authorization", "Cache-Control",
		"Connection", "Content-Encoding", "Content-Length", "Cookie", "Date", "Expect", "Forwarded", "From",
		"Function-Execution-Id", "Host", "Keep-Alive", "Origin", "Pragma", "Proxy-Authorization",
		"Proxy-Connection", "Referer", "Te", "Traceparent", "Tracestate", "Trailer", "Transfer-Encoding",
		"Upgrade", "User-Agent", "Via":
		return true
	}
	for _, prefix := range [...]string{"X-Appengine-", "X-Cloud-", "X-Forwarded-", "X-Goog-", "X-Serverless-", "Sec-"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
