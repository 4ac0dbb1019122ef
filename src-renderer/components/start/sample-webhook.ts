import type { Shell } from '../../../src-preload/contract/capture.ts'

/** The delivery that the gateway posts for a transaction of a watched account (gateway-facts: account_tx). */
const body = JSON.stringify({
  event_type: 'account_tx',
  account_id: '0:83dfd552e63729b472fcbcc8c45ebcc6691702558b68ec7527e1ba403a0f31a8',
  lt: 25713146000001,
  tx_hash: '1c2b3a4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f809',
})

/** Formats a line to paste into that shell. The body contains only JSON's own quotes. */
export function sampleCommand(url: string, shell: Shell): string {
  switch (shell) {
    case 'posix':
      return `curl -H 'Content-Type: application/json' --data-raw '${body}' '${url}'`
    case 'cmd':
      return `curl -H "Content-Type: application/json" --data-raw "${body.replaceAll('"', '\\"')}" "${url}"`
    case 'powershell':
      // PowerShell 5 corrupts quotes in arguments of curl.exe, so its own client is used.
      return `Invoke-WebRequest -UseBasicParsing -Method Post -ContentType 'application/json' -Body '${body}' -Uri '${url}'`
  }
}

export const shellOptions: readonly { value: Shell; label: string }[] = [
  { value: 'posix', label: 'sh, bash, zsh' },
  { value: 'powershell', label: 'PowerShell' },
  { value: 'cmd', label: 'cmd' },
]
