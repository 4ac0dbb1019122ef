import { type AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'

/** Path of a field in the input, such as `receiver.port`, to what is wrong with it. */
export type FieldErrors = Readonly<Record<string, string>>

/** The fields an INVALID_INPUT names; null when the error is about something else. */
export function readFieldErrors(error: AppError): FieldErrors | null {
  if (error.code !== bridgeCodes.invalidInput || !Array.isArray(error.data)) return null
  const found: Record<string, string> = {}
  for (const issue of error.data as unknown[]) {
    if (typeof issue !== 'object' || issue === null) continue
    const { path, message } = issue as { path?: unknown; message?: unknown }
    if (typeof path === 'string' && typeof message === 'string') found[path] ??= message
  }
  return Object.keys(found).length === 0 ? null : found
}

/** A whole number as typed, spaces between groups allowed; null when it is none. */
export function readWhole(text: string): number | null {
  const digits = text.replaceAll(/[\s\u202f,_]/g, '')
  return /^\d{1,15}$/.test(digits) ? Number(digits) : null
}

export const byteUnits = ['KiB', 'MiB', 'GiB'] as const
export type ByteUnit = (typeof byteUnits)[number]

const sizes: Record<ByteUnit, number> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }

/** Bytes in the largest unit that shows them with at most three decimals, exactly where it can. */
export function splitBytes(bytes: number): { amount: string; unit: ByteUnit } {
  for (const unit of byteUnits.toReversed()) {
    const amount = bytes / sizes[unit]
    if (amount >= 1 && Number.isInteger(amount * 1000)) return { amount: String(amount), unit }
  }
  return { amount: String(bytes / sizes.KiB), unit: 'KiB' }
}

/** Back to whole bytes; null when the amount is no number. */
export function joinBytes(amount: string, unit: ByteUnit): number | null {
  const text = amount.trim().replace(',', '.')
  return /^\d{1,12}(\.\d{1,12})?$/.test(text) ? Math.round(Number(text) * sizes[unit]) : null
}
