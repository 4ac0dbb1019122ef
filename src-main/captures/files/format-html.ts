/** Writes one HTML page without scripts, images or other resources. */
import { createHash } from 'node:crypto'
import { formatAllDecimals } from '../../../src-preload/domain/amount.ts'
import type { TextFormat } from '../../exports/table.ts'
import { isJson, layOutJson } from '../json-tokens.ts'
import {
  type Exported,
  type LabelsOf,
  type Printing,
  exactText,
  formatMoment,
  hexRows,
} from './exported.ts'

const pageStyle = `
:root{color-scheme:light dark;--line:light-dark(#d9dde3,#30363f);--quiet:light-dark(#55606e,#9aa5b3);--back:light-dark(#fff,#14171b);--raised:light-dark(#f5f7f9,#1b1f25);--bad:light-dark(#b3261e,#ff8a80);--text:light-dark(#1a1f26,#e6eaf0)}
*{box-sizing:border-box}
body{margin:0 auto;padding:24px;max-width:1100px;background:var(--back);color:var(--text);font:14px/1.5 system-ui,sans-serif}
h1{margin:0;font-size:20px;overflow-wrap:anywhere}
h2{margin:16px 0 4px;font-size:13px;color:var(--quiet)}
header p,footer p{margin:4px 0 16px;color:var(--quiet)}
details{border-top:1px solid var(--line)}
details[open]{padding-bottom:16px}
summary{display:grid;grid-template-columns:1ch 5ch 21ch 13ch 1fr auto 10ch;gap:12px;align-items:baseline;padding:6px 4px;cursor:pointer;font-variant-numeric:tabular-nums}
summary::before{content:'▸';color:var(--quiet)}
details[open]>summary::before{content:'▾'}
summary:focus-visible{outline:2px solid light-dark(#0b6bcb,#6cb2ff);outline-offset:-2px}
summary:hover{background:var(--raised)}
.n,.b,summary time{color:var(--quiet)}
.n,.b{text-align:right}
.a{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-family:ui-monospace,monospace;font-size:12px}
.bad{color:var(--bad);font-weight:600}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;margin:8px 0}
dt{color:var(--quiet)}
dd{margin:0;overflow-wrap:anywhere}
pre{margin:0;padding:10px 12px;overflow-x:auto;max-height:480px;background:var(--raised);border:1px solid var(--line);border-radius:6px;font:12px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
@media(max-width:700px){summary{grid-template-columns:1ch 1fr auto}.a{grid-column:1/-1}}
@media print{details{break-inside:avoid}pre{max-height:none}}
`

/**
 * The limit per body, so that a browser can open a page of many captures; other formats contain the
 * whole body.
 */
const shownCharacters = 100_000
const shownBytes = 2048

export function htmlFormat(printing: Printing, labelsOf: LabelsOf): TextFormat<Exported> {
  const { subject, at, isRevealed, hasPseudonyms, appVersion } = printing
  const hash = createHash('sha256').update(pageStyle).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
  const secrecy = hasPseudonyms
    ? 'Addresses, hashes, tokens and amounts are replaced by pseudonyms, consistently throughout this page.'
    : isRevealed
      ? 'Tokens are visible: do not share this page.'
      : 'Tokens are masked; bodies are as received.'
  return {
    begin: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>Captures: ${escape(subject)}</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<h1>Captures: ${escape(subject)}</h1>
<p>Exported by Tondesk ${escape(appVersion)}, <time datetime="${formatMoment(at)}">${clock(at)}</time>. ${secrecy}</p>
</header>
<main>
`,
    row: (capture) => formatCapture(capture, createNaming(capture, labelsOf)),
    end: (count) => `</main>
<footer><p>${count} ${count === 1 ? 'capture' : 'captures'}. Times are in UTC.</p></footer>
</body>
</html>
`,
  }
}

function formatCapture(capture: Exported, name: Naming): string {
  const { id, status, kind, bodyBytes } = capture
  const refused = status === null || status < 200 || status > 299
  return `<details id="c${id}">
<summary><span class="n">${id}</span> <time datetime="${formatMoment(capture.receivedAt)}">${clock(capture.receivedAt)}</time> <span class="k">${escape(kind ?? 'unclassified')}</span> <span class="a">${escape(name(capture.account) ?? '')}</span> <span class="${refused ? 's bad' : 's'}">${status ?? 'no response'}</span> <span class="b">${bodyBytes} B</span></summary>
<dl>${facts(capture, name)}</dl>
<h2>Request</h2>
<pre>${escape(head(capture))}</pre>
<h2>Body</h2>
${formatBody(capture)}
</details>
`
}

type Naming = ReturnType<typeof createNaming>

/** Writes an account as its label in the address book and its address. A pseudonym has no label. */
function createNaming({ account, network, meaning }: Exported, labelsOf: LabelsOf) {
  const addresses = [account ?? '', meaning?.sender ?? '', meaning?.recipient ?? '']
  const labels = network === null ? null : labelsOf(network, addresses)
  return (address: string | null = null): string | null => {
    const label = address === null ? undefined : labels?.get(address)
    return label === undefined ? address : `${label} (${address})`
  }
}

function facts(capture: Exported, name: Naming): string {
  const { meaning } = capture
  const amount = meaning?.amount
  // An invoice's delivery states the requested amount, whether or not it was paid.
  const direction = capture.kind === 'invoice' ? '' : ` ${amount?.direction ?? ''}`
  const rows: readonly (readonly [string, string | null])[] = [
    ['Logical time', capture.lt],
    ['Transaction', capture.txHash],
    ['Network', capture.network],
    [
      'Amount',
      amount === null || amount === undefined
        ? null
        : `${formatAllDecimals(amount.units, amount.asset.decimals)} ${amount.asset.symbol}${direction}`,
    ],
    ['Sender', name(meaning?.sender)],
    ['Recipient', name(meaning?.recipient)],
    ['Comment', meaning?.comment ?? null],
    ['Invoice', meaning?.invoice ?? null],
    ['Token', capture.token],
    ['Taken', capture.durationUs === null ? null : `${(capture.durationUs / 1000).toFixed(1)} ms`],
    ['From', capture.remoteAddress === '' ? null : capture.remoteAddress],
    ['Origin', capture.origin === 'received' ? null : capture.origin],
    ['Incomplete', capture.completeness === 'complete' ? null : capture.completeness],
    ['Incident', capture.incident],
    ['Repeats', capture.duplicateOf === null ? null : String(capture.duplicateOf)],
    ['Order', capture.outOfOrder ? 'arrived after a later event of the account' : null],
    ['Note', capture.note === '' ? null : capture.note],
  ]
  return rows
    .filter(([, value]) => value !== null && value !== '')
    .map(([term, value]) => `<dt>${term}</dt><dd>${escape(value ?? '')}</dd>`)
    .join('')
}

function head({ method, target, httpVersion, headers }: Exported): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${target} HTTP/${httpVersion}`, ...lines].join('\n')
}

function formatBody({ body }: Exported): string {
  if (body.byteLength === 0) return '<p>None.</p>'
  const text = exactText(body)
  if (text === null) {
    const shown = body.subarray(0, shownBytes)
    return `<pre>${hexLines(shown)}</pre>${rest(shown.byteLength, body.byteLength, 'bytes')}`
  }
  const laidOut = isJson(text) ? layOutJson(text) : text
  const shown = laidOut.slice(0, shownCharacters)
  return `<pre>${escape(shown)}</pre>${rest(shown.length, laidOut.length, 'characters')}`
}

const rest = (shown: number, all: number, what: string): string =>
  shown === all ? '' : `<p>The first ${shown} of ${all} ${what}.</p>`

const hexLines = (bytes: Uint8Array): string =>
  hexRows(bytes)
    .map(({ at, hex, text }) => `${at.toString(16).padStart(8, '0')}  ${hex}  ${escape(text)}`)
    .join('\n')

const escape = (text: string): string =>
  text
    .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (sign) =>
      String.fromCharCode(0x2400 + sign.charCodeAt(0)),
    )
    .replace(
      /[\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffe\uffff]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )

const clock = (microseconds: number): string =>
  formatMoment(microseconds).slice(0, 23).replace('T', ' ')
