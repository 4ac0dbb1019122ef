/** A captured request as a program that sends it again. */
import type { SnippetLanguage } from '../../../../src-preload/contract/exchange.ts'
import { AppError } from '../../../../src-preload/domain/app-error.ts'
import { captureCodes } from '../../../../src-preload/domain/error-codes.ts'
import { fetchSnippet } from './fetch-snippet.ts'
import { pythonSnippet } from './python-snippet.ts'
import type { SnippetRequest } from './request.ts'

const largestBody = 16 * 1024 * 1024

/** @throws AppError CAPTURE_TOO_LARGE, EXCHANGE_CANNOT_SEND */
export function formatSnippet(request: SnippetRequest, language: SnippetLanguage): string {
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
