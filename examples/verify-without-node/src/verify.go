// Verifies a delivery with the standard library: schemes v1 and v1a.
package main

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

const toleranceSec = 300

// Verify takes whpk_… or whsec_… as key, and the body's bytes as they came, before any JSON decoder.
func Verify(key, id, timestamp, signatures string, body []byte) bool {
	at, err := strconv.ParseInt(timestamp, 10, 64)
	age := time.Now().Unix() - at
	if err != nil || age > toleranceSec || age < -toleranceSec {
		return false
	}
	content := append([]byte(id+"."+timestamp+"."), body...)
	for _, entry := range strings.Fields(signatures) {
		scheme, text, _ := strings.Cut(entry, ",")
		signature, err := base64.StdEncoding.DecodeString(text)
		if err == nil && isSigned(key, content, scheme, signature) {
			return true
		}
	}
	return false
}

func isSigned(key string, content []byte, scheme string, signature []byte) bool {
	kind, text, _ := strings.Cut(key, "_")
	raw, err := base64.StdEncoding.DecodeString(text)
	switch {
	case err != nil:
		return false
	case kind == "whsec" && scheme == "v1":
		mac := hmac.New(sha256.New, raw)
		mac.Write(content)
		return hmac.Equal(mac.Sum(nil), signature)
	case kind == "whpk" && scheme == "v1a" && len(raw) == ed25519.PublicKeySize:
		return ed25519.Verify(raw, content, signature)
	}
	return false
}

func main() {
	body, _ := io.ReadAll(os.Stdin)
	for _, key := range os.Args[1:] {
		if Verify(key, os.Getenv("WEBHOOK_ID"), os.Getenv("WEBHOOK_TIMESTAMP"), os.Getenv("WEBHOOK_SIGNATURE"), body) {
			return
		}
	}
	os.Exit(1)
}
