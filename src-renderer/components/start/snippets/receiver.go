// Receives webhooks. Needs Go 1.16 or later, no packages.
// Start: WEBHOOK_TOKEN=… PORT=8080 go run receiver.go
package main

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
)

type Event struct {
	EventType string `json:"event_type"`
	AccountID string `json:"account_id"`
	Lt        int64  `json:"lt"`
	TxHash    string `json:"tx_hash"`
}

// Your code. If it returns an error, the gateway gets 500 and delivers the event again.
func handleEvent(event Event) error {
	fmt.Println(event.EventType, event.AccountID, event.TxHash)
	return nil
}

// One empty file for each hash. With a database, use a column with a unique index instead.
var directory = envOr("DATABASE", "webhooks.db")
var isHash = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)

func receive(w http.ResponseWriter, r *http.Request) int {
	if r.Method != http.MethodPost {
		return http.StatusMethodNotAllowed
	}
	// The comparison takes the same time whatever was sent, also where the header is missing.
	sent := sha256.Sum256([]byte(r.Header.Get("Authorization")))
	expected := sha256.Sum256([]byte("Bearer " + os.Getenv("WEBHOOK_TOKEN")))
	if subtle.ConstantTimeCompare(sent[:], expected[:]) != 1 {
		return http.StatusUnauthorized
	}
	var event Event
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil || json.Unmarshal(body, &event) != nil || !isHash.MatchString(event.TxHash) {
		return http.StatusBadRequest
	}
	// The gateway may deliver an event more than once: the file can be created only once.
	name := filepath.Join(directory, event.TxHash)
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return http.StatusOK
	}
	if err == nil {
		file.Close()
		err = handleEvent(event)
	}
	if err != nil {
		log.Println(err)
		os.Remove(name)
		return http.StatusInternalServerError
	}
	return http.StatusOK
}

func main() {
	if os.Getenv("WEBHOOK_TOKEN") == "" {
		log.Fatal("Set WEBHOOK_TOKEN to the token of the webhook.")
	}
	if err := os.MkdirAll(directory, 0o700); err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", ":"+envOr("PORT", "8080"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("Listening on port", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(receive(w, r))
	})))
}

func envOr(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}
