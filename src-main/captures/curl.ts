import { captureCodes } from '../../src-preload/domain/error-codes.ts'
import type { Headers } from './decode-body.ts'
import { toBase64, exactText } from './files/exported.ts'
import type { CaptureRecord } from './store/capture-record.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'

export type CurlRequest = Pick<CaptureRecord, 'method' | 'target' | 'httpVersion' | 'body'> & {
  readonly origin: string
  readonly headers: Headers
}

/** Headers that curl adds by default; `Name:` removes one. */
const addedByCurl = ['Host', 'Accept', 'User-Agent', 'Content-Type', 'Expect']

/** A longer body goes through standard input, because Linux limits an argument to 128 KiB. */
const argumentLimit = 32 * 1024
/** cmd.exe reads lines of at most 8191 characters. */
const cmdLineLimit = 8_000
/** No terminal accepts a longer command, and formatting one would block the window. */
const largestBody = 2 * 1024 * 1024

/**
 * Commands that send a captured request again, byte for byte. The body is in `--data-raw` or base64, because `--data`
 * treats a leading `@` as a file name.
 */
export const curlCommands = { posix: posixCommand, powershell: powershellCommand, cmd: cmdCommand }

export function checkSize({ body }: CurlRequest): void {
  if (body.byteLength > largestBody) throw tooLarge('Save the body and send the file.')
}

function curlArguments(request: CurlRequest): string[] {
  const { method, headers, body } = request
  const version = request.httpVersion === '1.0' ? '--http1.0' : '--http1.1'
  const args = ['--globoff', '--path-as-is', version]
  // `-X HEAD` would wait for a body that never comes.
  if (method === 'HEAD' && body.byteLength === 0) args.push('--head')
  else args.push('--request', method)
  const [beforeHash = ''] = request.target.split('#')
  // curl, like a browser, does not send the part after `#`.
  if (beforeHash !== request.target) args.push('--request-target', request.target)
  args.push(request.origin + beforeHash)
  const sent = headers.filter(([name]) => !isOwnHeader(name, request))
  for (const [name, value] of sent) {
    // Without the semicolon, curl removes a header with an empty value.
    args.push('--header', value === '' ? `${name};` : `${name}: ${value}`)
  }
  const names = new Set(sent.map(([name]) => name.toLowerCase()))
  for (const name of addedByCurl) {
    if (!names.has(name.toLowerCase())) args.push('--header', `${name}:`)
  }
  return args
}

/** curl computes these headers itself, because the user may edit the body first. */
function isOwnHeader(name: string, { httpVersion }: CurlRequest): boolean {
  const header = name.toLowerCase()
  // curl can send chunks, but not in HTTP/1.0.
  return header === 'content-length' || (header === 'transfer-encoding' && httpVersion === '1.0')
}

/** `Content-Length: 0` is not the same as no body, so an announced empty body is sent. */
function hasBody({ method, headers, body }: CurlRequest): boolean {
  if (body.byteLength > 0) return true
  const announced = ['content-length', 'transfer-encoding']
  return method !== 'HEAD' && headers.some(([name]) => announced.includes(name.toLowerCase()))
}

function posixCommand(request: CurlRequest): string {
  const { body } = request
  const command = ['curl', ...curlArguments(request).map(quotePosix)].join(' ')
  if (!hasBody(request)) return command
  const text = plainText(body)
  if (text !== null && body.byteLength <= argumentLimit) {
    return `${command} --data-raw ${quotePosix(text)}`
  }
  const lines = toBase64(body).replace(/.{76}(?=.)/g, '$&\n')
  return `base64 -d <<'EOF' | ${command} --data-binary @-\n${lines}\nEOF`
}

/** Single quotes protect everything but themselves; non-ASCII header bytes need `$'...'`. */
function quotePosix(value: string): string {
  if (/^[\w@%+=:,./-]+$/.test(value)) return value
  if (!isHeaderBytes(value)) return `'${value.replaceAll("'", `'\\''`)}'`
  const escaped = Array.from(value, (character) => {
    const code = character.charCodeAt(0)
    if (character === "'" || character === '\\') return `\\${character}`
    if (code >= 0x20 && code < 0x7f) return character
    return `\\x${code.toString(16).padStart(2, '0')}`
  })
  return `$'${escaped.join('')}'`
}

/** Characters of a header are bytes (Latin-1); as UTF-8, those above 0x7f would become two bytes. */
function isHeaderBytes(value: string): boolean {
  return /[\x80-\xff]/.test(value) && /^[\x01-\xff]*$/.test(value)
}

/** The body as text if a shell and a terminal preserve every byte; null otherwise. */
function plainText(body: Uint8Array): string | null {
  const text = exactText(body)
  // Terminals intercept other control characters; characters up to U+00FF would need `$'...'`.
  return text !== null && /^[\t\n\x20-\x7e\u0100-\uffff]*$/.test(text) ? text : null
}

/**
 * Uses Windows' curl.exe. PowerShell 5.1 corrupts quotes in arguments, so headers and body go through two
 * temporary files, which preserve every byte.
 */
function powershellCommand(request: CurlRequest): string {
  const args = curlArguments(request)
  const headers = args.flatMap((value, index) => (args[index - 1] === '--header' ? [value] : []))
  const others = args.filter(
    (value, index) => value !== '--header' && args[index - 1] !== '--header',
  )
  const file = (name: string, bytes: Uint8Array) =>
    `$${name} = New-TemporaryFile; [IO.File]::WriteAllBytes($${name}, [Convert]::FromBase64String('${toBase64(bytes)}'))`
  const lines = [file('head', Buffer.from(headers.join('\n'), 'latin1'))]
  const call = ['curl.exe', ...others.map(quotePowershell), '--header "@$head"']
  const sendsBody = hasBody(request)
  if (sendsBody) {
    lines.push(file('body', request.body))
    call.push('--data-binary "@$body"')
  }
  const used = sendsBody ? '$head, $body' : '$head'
  return [...lines, call.join(' '), `Remove-Item ${used}`].join('; ')
}

/** PowerShell splits an unquoted `-option.value` at the dot. */
function quotePowershell(value: string): string {
  const plain = /^-*\w[\w-]*$|^http:[\w:./-]+$/.test(value)
  return plain ? value : `'${value.replaceAll("'", "''")}'`
}

/** cmd.exe cannot quote both `%` and `"`, so it gets the PowerShell command encoded. */
function cmdCommand(request: CurlRequest): string {
  const script = Buffer.from(powershellCommand(request), 'utf16le').toString('base64')
  const command = `powershell -NoProfile -EncodedCommand ${script}`
  if (command.length > cmdLineLimit) {
    throw tooLarge('The command is too long for cmd.exe: copy it for PowerShell.')
  }
  return command
}

function tooLarge(wayOut: string): AppError {
  return new AppError(captureCodes.tooLarge, `The request is too large to copy. ${wayOut}`)
}
