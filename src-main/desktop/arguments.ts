import { extname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { linkScheme } from '../../src-preload/domain/links.ts'
import { openableExtensions } from '../../src-preload/domain/opened-files.ts'

export type DesktopArguments = {
  readonly dataDirectory: string | undefined
  /** False to start without a window; a second start then opens one. */
  readonly opensWindow: boolean
  readonly receiverPort: number | undefined
  readonly sandboxPort: number | undefined
  /** Starts the sandbox gateway; Chromium's own sandbox is always on. */
  readonly startsSandbox: boolean
  /** This process replaces one that ended by an uncaught error. */
  readonly afterCrash: boolean
  /** Use the graphics card again after its process has crashed several times. */
  readonly withGpu: boolean
  /** Copy the receiver URL, as the taskbar's menu on Windows does. */
  readonly copiesUrl: boolean
  /** Report the start as one JSON line instead of as text. */
  readonly json: boolean
}

const isLink = (arg: string) => arg.toLowerCase().startsWith(`${linkScheme}:`)

/**
 * The options of a command line: the arguments before a link and before the `--` that Windows puts
 * in front of a link.
 */
export function beforeLink(args: readonly string[]): string[] {
  const link = args.findIndex(isLink)
  if (link < 0) return [...args]
  return args.slice(0, args[link - 1] === '--' ? link - 1 : link)
}

/**
 * Parses a command line and ignores Chromium's own switches.
 *
 * Threat model: the system starts the app with a link that a web page chose. If the link breaks out
 * of its quotes, its rest becomes arguments, so no argument from the link on is read as an option.
 */
export function parseDesktopArguments(args: readonly string[]): DesktopArguments {
  const { values } = parseArgs({
    args: beforeLink(args),
    options: {
      'data-dir': { type: 'string' },
      'no-open': { type: 'boolean' },
      'receiver-port': { type: 'string' },
      'sandbox-port': { type: 'string' },
      'without-sandbox': { type: 'boolean' },
      'after-crash': { type: 'boolean' },
      'with-gpu': { type: 'boolean' },
      'copy-receiver-url': { type: 'boolean' },
      json: { type: 'boolean' },
    },
    strict: false,
  })
  const text = (name: string) => {
    const value = values[name]
    // A flag without its value would take the next flag as the value.
    return typeof value === 'string' && /^[^-]/.test(value) ? value : undefined
  }
  return {
    dataDirectory: text('data-dir'),
    opensWindow: values['no-open'] !== true,
    receiverPort: parsePort(text('receiver-port')),
    sandboxPort: parsePort(text('sandbox-port')),
    startsSandbox: values['without-sandbox'] !== true,
    afterCrash: values['after-crash'] === true,
    withGpu: values['with-gpu'] === true,
    copiesUrl: values['copy-receiver-url'] === true,
    json: values['json'] === true,
  }
}

const sentArguments = z.object({ args: z.array(z.string().max(32_768)).max(1000) })

/**
 * The arguments of a second start, as it sent them with its request for the lock. Chromium adds
 * switches to `argv` and may change its order, so `argv` is used only if nothing was sent.
 */
export function secondArguments(argv: readonly string[], sent: unknown): readonly string[] {
  const parsed = sentArguments.safeParse(sent)
  return parsed.success ? parsed.data.args : argv.slice(1)
}

/** The reason why the system started the app. */
export type Handed =
  | { readonly kind: 'link'; readonly link: string }
  | { readonly kind: 'file'; readonly path: string }

/** The limit exists because each file opens a dialog or a page. */
const maxFiles = 10

/**
 * Finds the link or the files that a command line names. A link is used alone, because the following text
 * may belong to the link. A file is recognised by its extension; file managers may write it as a URL.
 * @param directory the folder that relative paths start from
 */
export function parseHanded(args: readonly string[], directory: string): readonly Handed[] {
  const link = args.find(isLink)
  if (link !== undefined) return [{ kind: 'link', link }]
  return args
    .filter((arg) => !arg.startsWith('-'))
    .map(toPath)
    .filter((path) => !path.includes('\0'))
    .filter((path) => openableExtensions.includes(extname(path).toLowerCase()))
    .slice(0, maxFiles)
    .map((path) => ({ kind: 'file', path: resolve(directory, path) }))
}

/**
 * Empty for a URL that names no file on this computer. A Windows drive has one letter, a URL scheme
 * has more.
 */
function toPath(arg: string): string {
  if (!/^[a-z][a-z\d+.-]+:/i.test(arg)) return arg
  try {
    return /^file:\/\/\//i.test(arg) ? fileURLToPath(arg) : ''
  } catch {
    return ''
  }
}

/**
 * Chromium's remote debugging gives full access to the window to anyone who reaches its port. The
 * option is for development; an installed app refuses to start with it.
 */
export const enablesRemoteDebugging = (args: readonly string[]): boolean =>
  args.some((arg) => /^--?remote-debugging-(port|pipe|address|targets)(=|$)/i.test(arg))

function parsePort(text: string | undefined): number | undefined {
  const port = text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : undefined
  return port !== undefined && port <= 65_535 ? port : undefined
}
