import type { issueLimits, issueMost } from '../../../../src-preload/contract/invoice-job.ts'

/**
 * The contract's figures once more: its values would bring its schemas into the window. Their types
 * are these very figures, so that they cannot differ.
 */
export const limits: typeof issueLimits = {
  least: '0.001',
  most: '100000',
  longestSeconds: 7_776_000,
  descriptionCharacters: 255,
}

export const mostAtOnce: typeof issueMost = 1000
