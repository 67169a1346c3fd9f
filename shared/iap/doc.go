// Package iap verifies the assertion that Identity-Aware Proxy puts on every request
// that it lets through.
//
// Google's own Go validator checks neither the issuer nor an empty audience, and any
// token of Google's would do for it. Here all of these must hold: ES256 under one of
// the proxy's public keys, issuer https://cloud.google.com/iap, exactly the configured
// audience, a subject, an e-mail address, and a time of issue and an end around now.
//
// Chosen here: clocks may differ by 30 seconds, as Google recommends. Keys are read
// again each hour; a key that is not known makes them be read at once, but at most
// every half minute, so that forged key IDs can't make us hammer Google. While they
// can't be read, known keys serve for a day.
package iap
