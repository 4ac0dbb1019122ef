import { z } from 'zod'
import { exportFile, jobState } from './lookup.ts'
import { captureId, microseconds, takes } from './route.ts'

/** A shell stands for a curl command in it. */
const snippetLanguage = z.enum(['posix', 'powershell', 'cmd', 'fetch', 'python'])
export type SnippetLanguage = z.infer<typeof snippetLanguage>

export const captureExportFormat = z.enum(['har', 'jsonl', 'html'])
export type CaptureExportFormat = z.infer<typeof captureExportFormat>

const captureExportOptions = z.object({
  format: captureExportFormat,
  subject: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('captures'), ids: z.array(captureId).min(1).max(10_000) }),
    z.object({ kind: z.literal('query'), text: z.string().max(2000) }),
  ]),
  /** Includes bearer tokens and the receiver's token in the file. */
  reveal: z.boolean().default(false),
  /** Replaces addresses, hashes, tokens and amounts by pseudonyms, the same ones throughout the file. */
  pseudonyms: z.boolean().default(false),
})
export type CaptureExportOptions = z.infer<typeof captureExportOptions>

export const captureExport = z.object({
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
  firstId: captureId.nullable(),
  lastId: captureId.nullable(),
  finishedAt: microseconds.nullable(),
})
export type CaptureImport = z.infer<typeof captureImport>

const upload = { id: z.string().max(100) }

export const exchangeRoutes = {
  'capture.snippet': takes({
    id: captureId,
    language: snippetLanguage,
    reveal: z.boolean().default(false),
  }).returns({ text: z.string(), masked: z.boolean() }),
  'captureExport.start': takes(captureExportOptions).returns(captureExport),
  /** Begins an upload; its pieces follow in order, each with at most 1 MiB. */
  'captureImport.start': takes({
    name: z.string().max(300),
    /** Null for a stream, whose size is unknown. */
    bytes: z.int().nonnegative().nullable(),
  }).returns(captureImport),
  'captureImport.append': takes({
    ...upload,
    offset: z.int().nonnegative(),
    base64: z.string().max(1_500_000),
  }).returns(captureImport),
  /** Ends the upload and resolves when all captures are stored. After an error none is stored. */
  'captureImport.end': takes(upload).returns(captureImport),
  'captureImport.cancel': takes(upload).returns(captureImport),
} as const
