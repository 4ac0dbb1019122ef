package shop

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"testing"
)

type ready struct {
	ControlURL    string `json:"controlUrl"`
	ControlKey    string `json:"controlKey"`
	ConsoleURL    string `json:"consoleUrl"`
	InvoicesToken string `json:"invoicesToken"`
}

// startSandbox runs the command; the sandbox ends when its standard input closes.
func startSandbox(t *testing.T) (sandbox ready) {
	t.Helper()
	command := exec.Command("npx", "--no-install", "tondesk-sandbox", "--json", "--with-parent",
		"--port=0", "--clock=virtual", "--now=2026-01-01")
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		command.Wait()
	})
	line, err := bufio.NewReader(output).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(line, &sandbox); err != nil {
		t.Fatal(err)
	}
	return sandbox
}

func call(t *testing.T, method, url, key string, body, result any) {
	t.Helper()
	data, _ := json.Marshal(body)
	request, _ := http.NewRequest(method, url, bytes.NewReader(data))
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		t.Fatalf("%s %s: %s", method, url, response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(result); err != nil {
		t.Fatal(err)
	}
}

func TestPaidInvoiceIsReportedOnce(t *testing.T) {
	type invoice struct{ ID, Status string }
	received := make(chan invoice, 10)
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var reported invoice
		json.NewDecoder(r.Body).Decode(&reported)
		received <- reported
	}))
	defer shop.Close()

	sandbox := startSandbox(t)
	control := func(method, path string, body any) {
		var ignored any
		call(t, method, sandbox.ControlURL+path, sandbox.ControlKey, body, &ignored)
	}
	control("PUT", "/invoices-app", map[string]any{"webhooks": []string{shop.URL}})
	var created invoice
	call(t, "POST", sandbox.ConsoleURL+"/api/v1/services/invoices/invoice", sandbox.InvoicesToken,
		map[string]any{"amount": "1000000000", "currency": "TON", "life_time": 600}, &created)
	control("POST", fmt.Sprintf("/invoices/%s/pay", created.ID), map[string]any{"how": "exact"})
	control("POST", "/idle", map[string]any{})
	if len(received) != 1 {
		t.Fatalf("%d deliveries", len(received))
	}
	if got := <-received; got.ID != created.ID || got.Status != "paid" {
		t.Fatalf("reported %+v", got)
	}
}
