import type { Cell } from '@ton/core'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { chainCodes } from '../../src-preload/domain/error-codes.ts'
import { BocError, parseBoc, readBytes } from '../ton/boc.ts'

/**
 * A BOC as people paste it: hexadecimal, base64 or base64url, white space and missing padding allowed.
 * @throws AppError CHAIN_BAD_BOC in one sentence
 */
export function requireBoc(text: string): Cell {
  const plain = text.replaceAll(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')
  const padded = plain.padEnd(Math.ceil(plain.length / 4) * 4, '=')
  const bytes = readBytes(plain) ?? readBytes(padded)
  if (bytes === null) {
    throw badBoc('This is no BOC: hexadecimal digits, base64 or base64url are expected.')
  }
  try {
    return parseBoc(bytes)
  } catch (error) {
    if (error instanceof BocError) throw badBoc(`This is no BOC: ${error.message}.`)
    throw error
  }
}

export function badBoc(message: string): AppError {
  return new AppError(chainCodes.badBoc, message)
}
