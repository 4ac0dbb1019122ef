import { z } from 'zod'
import { argumentKind } from './contract.ts'
import { hash, moment, returns, takes } from './route.ts'

/** What an ABI or TL-B text says about contracts with one code, on every network. */
const dictionary = z.object({
  codeHash: hash,
  name: z.string(),
  format: z.enum(['abi', 'tlb']),
  messages: z.array(
    z.object({ opcode: z.string(), name: z.string(), fields: z.array(z.string()) }),
  ),
  methods: z.array(
    z.object({
      name: z.string(),
      arguments: z.array(z.object({ name: z.string(), type: z.string(), kind: argumentKind })),
      returns: z.string().nullable(),
    }),
  ),
  errors: z.array(z.object({ code: z.int(), name: z.string() })),
  /** Parts that Tondesk cannot use, one sentence each; at most 20. */
  unused: z.array(z.string()),
  changedAt: moment,
})
export type Dictionary = z.infer<typeof dictionary>

export const dictionaryRoutes = {
  'dictionary.list': returns({ dictionaries: z.array(dictionary) }),
  /** Replaces the dictionary of this code. */
  'dictionary.import': takes({
    codeHash: hash,
    name: z.string().trim().max(100, 'At most 100 characters.').default(''),
    /** The JSON of an ABI, or TL-B. */
    text: z
      .string()
      .trim()
      .min(1, 'Paste an ABI or TL-B, or open a file.')
      .max(800_000, 'The text is longer than 800,000 characters.'),
  }).returns(dictionary),
  'dictionary.remove': takes({ codeHash: hash }).returns({}),
} as const
