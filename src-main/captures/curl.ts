import type { Shell } from '../../src-preload/contract/capture.ts'
import { captureCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'

export type CurlRequest = {
  readonly method: string
  /** Scheme, host and port, then the target exactly as it is to be sent. */
  readonly origin: string
  readonly target: string
  readonly httpVersion: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
}

/** What curl adds unless told otherwise; `Name:` takes it out. */
const addedByCurl = ['Host', 'Accept', 'User-Agent', 'Content-Type', 'Expect']

/** Longer bodies go through standard input: an argument has a limit of 128 KiB on Linux. */
const argumentLimit = 32 * 1024
/** cmd.exe reads lines of at most 8191 characters. */
const cmdLineLimit = 8_000
const largestBody = 16 * 1024 * 1024

/**
 * A command that sends a captured request again, byte for byte, when pasted into the shell named.
 * The body stands in it by `--data-raw` or as base64: `--data` would read a body beginning with `@`
 * as the name of a file.
 * @throws AppError CAPTURE_TOO_LARGE
 */
export function curlCommand(request: CurlRequest, shell: Shell): string {
  if (request.body.byteLength > largestBody) throw tooLarge('Save the body and send the file.')
  switch (shell) {
    case 'posix':
      return posixCommand(request)
    case 'powershell':
      return powershellCommand(request)
    case 'cmd':
      return cmdCommand(request)
  }
}

/** Every argument but the body's, as values not quoted yet. */
function curlArguments(request: CurlRequest): string[] {
  const { method, headers, body } = request
  const version = request.httpVersion === '1.0' ? '--http1.0' : '--http1.1'
  const args = ['--globoff', '--path-as-is', version]
  // `-X HEAD` would wait for a body that never comes.
  if (method === 'HEAD' && body.byteLength === 0) args.push('--head')
  else args.push('--request', method)
  const [beforeHash = ''] = request.target.split('#')
  // curl keeps what follows a `#` to itself, as a browser does.
  if (beforeHash !== request.target) args.push('--request-target', request.target)
  args.push(request.origin + beforeHash)
  const sent = headers.filter(([name]) => !isOwnHeader(name, request))
  for (const [name, value] of sent) {
    // An empty value is written with a semicolon, else curl takes the header out.
    args.push('--header', value === '' ? `${name};` : `${name}: ${value}`)
  }
  const names = new Set(sent.map(([name]) => name.toLowerCase()))
  for (const name of addedByCurl) {
    if (!names.has(name.toLowerCase())) args.push('--header', `${name}:`)
  }
  return args
}

/** Written by curl itself, from the body it sends: the body may be edited before it is sent. */
function isOwnHeader(name: string, { httpVersion }: CurlRequest): boolean {
  switch (name.toLowerCase()) {
    case 'content-length':
      return true
    case 'transfer-encoding':
      // curl sends in chunks when told to, but never so in HTTP/1.0.
      return httpVersion === '1.0'
    default:
      return false
  }
}

/** An empty body that was announced is sent as one: `Content-Length: 0` is not the same as none. */
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
  const lines = base64(body).replace(/.{76}(?=.)/g, '$&\n')
  return `base64 -d <<'EOF' | ${command} --data-binary @-\n${lines}\nEOF`
}

/** Single quotes hold everything but themselves; bytes beyond ASCII of a header need `$'...'`. */
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

/** A header's characters are bytes (Latin-1): typed as UTF-8 those above 0x7f would become two. */
function isHeaderBytes(value: string): boolean {
  return /[\x80-\xff]/.test(value) && /^[\x01-\xff]*$/.test(value)
}

/** The body as text, where a shell and a terminal keep every byte of it; else null. */
function plainText(body: Uint8Array): string | null {
  const text = Buffer.from(body).toString('utf8')
  if (!Buffer.from(text, 'utf8').equals(body)) return null
  // Other control characters are taken by terminals; characters up to U+00FF would need `$'...'`.
  return /^[\t\n\x20-\x7e\u0100-\uffff]*$/.test(text) ? text : null
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

/**
 * Windows' own curl.exe. PowerShell 5.1 mangles quotes in arguments, so header lines and body go
 * through two temporary files made here, which also keeps every byte.
 */
function powershellCommand(request: CurlRequest): string {
  const args = curlArguments(request)
  const headers = args.flatMap((value, index) => (args[index - 1] === '--header' ? [value] : []))
  const others = args.filter(
    (value, index) => value !== '--header' && args[index - 1] !== '--header',
  )
  const file = (name: string, bytes: Uint8Array) =>
    `$${name} = New-TemporaryFile; [IO.File]::WriteAllBytes($${name}, [Convert]::FromBase64String('${base64(bytes)}'))`
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

/** Bare where it is plain; PowerShell has split `-option.value` at the point. */
function quotePowershell(value: string): string {
  const plain = /^-*\w[\w-]*$|^http:[\w:./-]+$/.test(value)
  return plain ? value : `'${value.replaceAll("'", "''")}'`
}

/** cmd.exe has no quoting that holds `%` and `"`, so the PowerShell command is handed on encoded. */
function cmdCommand(request: CurlRequest): string {
  const script = Buffer.from(powershellCommand(request), 'utf16le').toString('base64')
  const command = `powershell -NoProfile -EncodedCommand ${script}`
  if (command.length > cmdLineLimit) {
    throw tooLarge('cmd.exe cannot take a line this long: copy it for PowerShell.')
  }
  return command
}

function tooLarge(wayOut: string): AppError {
  return new AppError(captureCodes.tooLarge, `The request is too large for one command. ${wayOut}`)
}
