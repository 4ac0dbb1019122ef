import { z } from 'zod'
import { accountStatus } from './chain/account.ts'
import { decodedField } from './chain/transaction.ts'
import { networkId, onNetwork } from './network.ts'
import { addressText, hash, logicalTime, moment, takes } from './route.ts'

const hex = z.string().regex(/^[0-9a-fA-F]*$/)
const units = z.string().regex(/^-?\d+$/)

/** A cell as the hexadecimal digits of a BOC, and its hash. */
const cellOf = z.object({ boc: hex, hash })

/**
 * One value of a stack. A tuple or list is followed by its items, which are one level deeper.
 * `value` is decimal for a number, raw for an address, the number of items for a tuple or list, the
 * hexadecimal BOC of a cell, and the reason for an unreadable value.
 */
const stackItem = z.object({
  /** The name of the value in a dictionary. */
  name: z.string().nullable(),
  depth: z.int().nonnegative(),
  kind: z.enum(['number', 'address', 'cell', 'tuple', 'list', 'null', 'nan', 'unread']),
  value: z.string(),
  /** For an address: the cell that contains it. */
  boc: hex.nullable(),
})
export type StackItem = z.infer<typeof stackItem>

export const argumentKind = z.enum(['number', 'address', 'cell', 'slice', 'null', 'nan'])
export type ArgumentKind = z.infer<typeof argumentKind>

const methodResult = z.object({
  network: networkId,
  method: z.string(),
  at: moment,
  success: z.boolean(),
  exitCode: z.int(),
  exitWords: z.string().nullable(),
  /** At most the first 20,000 values are returned. */
  items: z.array(stackItem),
  total: z.int().nonnegative(),
  /** The gateway's own decoding of the methods that it knows. */
  decoded: z.array(decodedField),
})
export type MethodResult = z.infer<typeof methodResult>

const contractView = z.object({
  network: networkId,
  address: z.string(),
  status: accountStatus,
  code: cellOf.nullable(),
  data: cellOf.nullable(),
  /**
   * The code that a library cell refers to; null for other cells, or if the gateway does not return
   * the code.
   */
  libraryCode: cellOf.nullable(),
  libraries: z.array(z.object({ isPublic: z.boolean(), root: cellOf })),
  frozenHash: z.string().nullable(),
  lastTransaction: z.object({ lt: logicalTime, hash: z.string().nullable() }).nullable(),
  storage: z
    .object({
      usedCells: units,
      usedBits: units,
      usedPublicCells: units,
      lastPaid: moment.nullable(),
      due: units,
    })
    .nullable(),
  inspection: z
    .object({
      compiler: z.string().nullable(),
      methods: z.array(z.object({ id: z.string(), name: z.string() })),
      disassembly: z.string().nullable(),
      source: z.array(z.object({ name: z.string(), content: z.string(), isEntry: z.boolean() })),
    })
    .nullable(),
  /** Why the gateway's inspection of the code is missing; null if it is not. */
  inspectionProblem: z.string().nullable(),
  fetchedAt: moment,
})
export type ContractView = z.infer<typeof contractView>

export const contractRoutes = {
  'contract.get': takes({ ...onNetwork, address: addressText }).returns(contractView),
  /** Runs a get method on the gateway; this changes nothing on the chain. */
  'contract.run': takes({
    ...onNetwork,
    address: addressText,
    method: z
      .string()
      .trim()
      .min(1, 'Enter the name of a method.')
      .max(100, 'The name is too long.')
      .regex(/^[\w:.?!$-]+$/, 'A method’s name contains no spaces.'),
    args: z
      .array(z.object({ kind: argumentKind, value: z.string().trim().max(800_000) }))
      .max(64, 'At most 64 arguments.')
      .default([]),
  }).returns(methodResult),
} as const
