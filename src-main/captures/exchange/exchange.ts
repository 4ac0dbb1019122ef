import type { CaptureExport, CaptureImport } from '../../../src-preload/contract/exchange.ts'
import type { Handlers, Parsed } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { captureCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Captures } from '../store/captures.ts'
import { maskHeader, maskTarget } from '../mask.ts'
import { type ExportsDeps, createExports } from './exports.ts'
import { type ImportsDeps, createImports } from './imports.ts'
import { formatSnippet } from './snippet.ts'

type ExchangeDeps = Omit<ExportsDeps, 'onChanged'> &
  Omit<ImportsDeps, 'onChanged'> & {
    readonly captures: Pick<Captures, 'get' | 'body'>
    readonly subpathOf: (target: string) => string
    readonly receiverUrl: () => string
    readonly onExports: (exports: readonly CaptureExport[]) => void
    readonly onImport: (state: CaptureImport) => void
  }

type ExchangeHandlers = Pick<Handlers, Extract<keyof Handlers, `exchange.${string}`>>

export function createExchange(deps: ExchangeDeps) {
  const exports = createExports({ ...deps, onChanged: deps.onExports })
  const imports = createImports({ ...deps, onChanged: deps.onImport })

  function snippet({ id, language, reveal }: Parsed<'exchange.snippet'>) {
    const capture = deps.captures.get(id)
    if (capture === null) {
      throw new AppError(captureCodes.notFound, `Capture ${id} is not there any more.`)
    }
    const receiver = new URL(deps.receiverUrl())
    const subpath = deps.subpathOf(capture.target)
    const headers = reveal ? capture.headers : capture.headers.map(maskHeader)
    const below = reveal ? subpath : maskTarget(subpath)
    const masked =
      below !== subpath || headers.some(([, value], at) => value !== capture.headers[at]?.[1])
    const text = formatSnippet(
      {
        method: capture.method,
        origin: receiver.origin,
        // The capture's own receiver path may have been rotated since.
        target: receiver.pathname + below,
        httpVersion: capture.httpVersion,
        headers,
        body: deps.captures.body(id) ?? new Uint8Array(0),
      },
      language,
    )
    return { text, masked }
  }

  const handlers: ExchangeHandlers = {
    ...exports.handlers,
    ...imports.handlers,
    'exchange.snippet': snippet,
  }
  return {
    handlers,
    start: () => imports.start(),
    async stop(): Promise<void> {
      await Promise.all([exports.stop(), imports.stop()])
    },
  }
}
