import { z } from 'zod'
import { argumentKind } from './contract.ts'
import { onNetwork } from './network.ts'
import { addressText, hash, moment, returns, takes } from './route.ts'

/** A dictionary describes all contracts with one code, on every network, by the text of an ABI or TL-B. */
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
  /** Descriptions of parts that Tondesk cannot use, one sentence each; at most 20. */
  unused: z.array(z.string()),
  changedAt: moment,
})
export type Dictionary = z.infer<typeof dictionary>

/**
 * One entry of a message's form. The entries of an option that is not chosen are omitted: `when`
 * names the choice and the option of an entry.
 */
const bodyInput = z.object({
  key: z.string(),
  /** The field's name, preceded by the names of the structs around it. */
  name: z.string(),
  type: z.string(),
  kind: z.enum([
    ...(['number', 'coins', 'bool', 'address', 'text', 'bits', 'cell', 'map', 'rest'] as const),
    'choice',
  ]),
  /** The options of a choice; the entered value is the index of an option. */
  options: z.array(z.string()),
  when: z.object({ key: z.string(), option: z.int() }).nullable(),
})
export type BodyInput = z.infer<typeof bodyInput>

export const dictionaryRoutes = {
  /** Returns the form fields of a message; at most 200 entries. */
  'dictionary.inputs': takes({ codeHash: hash, opcode: z.string(), name: z.string() }).returns({
    inputs: z.array(bodyInput),
  }),
  /** Returns the code of an account, and whether a dictionary exists for it. */
  'dictionary.find': takes({ ...onNetwork, address: addressText }).returns({
    codeHash: hash.nullable(),
    isKnown: z.boolean(),
  }),
  'dictionary.list': returns({ dictionaries: z.array(dictionary) }),
  /** Replaces the existing dictionary of this code. */
  'dictionary.import': takes({
    codeHash: hash,
    name: z.string().trim().max(100, 'At most 100 characters.').default(''),
    /** The JSON of an ABI, or TL-B source. */
    text: z
      .string()
      .trim()
      .min(1, 'Paste an ABI or TL-B, or open a file.')
      .max(800_000, 'The text is longer than 800,000 characters.'),
  }).returns(dictionary),
  'dictionary.remove': takes({ codeHash: hash }).returns({}),
} as const
