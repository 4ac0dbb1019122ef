/** A captured request as a program that sends it again. */
import type { SnippetLanguage } from '../../../../src-preload/contract/index.ts'
import { AppError, captureCodes } from '../../../../src-preload/contract/index.ts'
import { fetchSnippet } from './fetch-snippet.ts'
import { pythonSnippet } from './python-snippet.ts'

export type SnippetRequest = {
  readonly method: string
  /** Scheme, host and port. */
  readonly origin: string
  /** Exactly as it is to be sent. */
  readonly target: string
  readonly httpVersion: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
}

const largestBody = 16 * 1024 * 1024

/** @throws AppError CAPTURE_TOO_LARGE, EXCHANGE_CANNOT_SEND */
export function printSnippet(request: SnippetRequest, language: SnippetLanguage): string {
  if (request.body.byteLength > largestBody) {
    throw new AppError(
      captureCodes.tooLarge,
      'The request is too large for a program to be pasted. Save the body and send the file.',
    )
  }
  switch (language) {
    case 'fetch':
      return fetchSnippet(request)
    case 'python':
      return pythonSnippet(request)
  }
}
