import { z } from 'zod'
import { exportFile, jobState } from './lookup.ts'
import { captureId, microseconds, route } from './route.ts'

const snippetLanguage = z.enum(['fetch', 'python'])
export type SnippetLanguage = z.infer<typeof snippetLanguage>

export const captureExportFormat = z.enum(['har', 'jsonl', 'html'])
export type CaptureExportFormat = z.infer<typeof captureExportFormat>

const captureExportOptions = z.object({
  format: captureExportFormat,
  /** Captures named, or all that a query finds. */
  subject: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('captures'), ids: z.array(captureId).min(1).max(10_000) }),
    z.object({ kind: z.literal('query'), text: z.string().max(2000) }),
  ]),
  /** With bearer tokens and the receiver's own: for this one file. */
  reveal: z.boolean().default(false),
  /** Addresses, hashes, tokens and amounts as pseudonyms, the same for the same throughout. */
  pseudonyms: z.boolean().default(false),
})
export type CaptureExportOptions = z.infer<typeof captureExportOptions>

const captureExport = z.object({
  id: z.int().positive(),
  format: captureExportFormat,
  state: jobState,
  problem: z.string().nullable(),
  captures: z.int(),
  total: z.int().nullable(),
  bytes: z.int(),
  file: exportFile.nullable(),
})
export type CaptureExport = z.infer<typeof captureExport>

const captureImport = z.object({
  id: z.string(),
  state: z.enum(['reading', 'done', 'failed', 'cancelled']),
  format: z.enum(['har', 'jsonl']).nullable(),
  bytes: z.int(),
  imported: z.int(),
  skipped: z.int(),
  remarks: z.array(z.string()),
  problem: z.string().nullable(),
  /** The first and the last capture made, to be found by. */
  firstId: captureId.nullable(),
  lastId: captureId.nullable(),
  finishedAt: microseconds.nullable(),
})
export type CaptureImport = z.infer<typeof captureImport>

const job = z.object({ id: z.int().positive() })
const upload = z.object({ id: z.string().max(100) })

export const exchangeRoutes = {
  'exchange.snippet': route(
    z.object({ id: captureId, language: snippetLanguage, reveal: z.boolean().default(false) }),
    z.object({ text: z.string(), masked: z.boolean() }),
  ),
  'exchange.export': route(captureExportOptions, captureExport),
  'exchange.exports': route(z.undefined(), z.array(captureExport)),
  'exchange.cancelExport': route(job, captureExport),
  /** Begins an import; pieces of the file follow in order, at most 1 MiB each. */
  'exchange.importStart': route(
    z.object({ name: z.string().max(300), bytes: z.int().nonnegative() }),
    captureImport,
  ),
  'exchange.importPiece': route(
    upload.extend({ offset: z.int().nonnegative(), base64: z.string().max(1_500_000) }),
    captureImport,
  ),
  /** The file is all there; ends when its captures are on disk. All of them come, or none. */
  'exchange.importEnd': route(upload, captureImport),
  'exchange.importCancel': route(upload, captureImport),
} as const

export type ExchangeEvents = {
  'exchange.exportChanged': { readonly exports: readonly CaptureExport[] }
  'exchange.importChanged': CaptureImport
}
