/**
 * Options that are fields of a route's input: the contract defines their types, choices, limits and
 * defaults.
 */
import { z } from 'zod'
import { type CommandOption, type Invocation, usageError } from './command.ts'
import { checkChoice, flag, text } from './options.ts'

type FieldFacts = z.core.JSONSchema.BaseSchema

function factsOf(field: unknown): FieldFacts {
  if (!(field instanceof z.ZodType)) return {}
  return z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' })
}

export function field(schema: z.ZodType, description: string, value = 'N'): CommandOption {
  const { type, enum: choices, default: fallback } = factsOf(schema)
  if (type === 'boolean') return flag(description)
  const byDefault =
    typeof fallback === 'string' || typeof fallback === 'number' ? ` (default ${fallback})` : ''
  return text(choices?.join('|') ?? value, description + byDefault)
}

/**
 * @param optionOf options whose names differ from their fields, by field
 * @throws AppError USAGE with a sentence that names the option
 */
export function readInput<S extends z.ZodObject>(
  schema: S,
  { options }: Pick<Invocation, 'options'>,
  given: Readonly<Record<string, unknown>> = {},
  optionOf: Readonly<Record<string, string>> = {},
): z.output<S> {
  const fields: Readonly<Record<string, unknown>> = schema.shape
  const typed = Object.entries(options).map(([name, value]) => {
    const key = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    const isNumber = /^(integer|number)$/.test(String(factsOf(fields[key]).type))
    return [key, isNumber && value !== undefined ? Number(value) : value] as const
  })
  const named = Object.fromEntries(typed.filter(([key]) => Object.hasOwn(fields, key)))
  const result = schema.safeParse({ ...named, ...given })
  if (result.success) return result.data
  const [issue] = result.error.issues
  const key = String(issue?.path[0] ?? '')
  const name = optionOf[key] ?? key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw usageError(describeIssue(name, options[name], factsOf(fields[key]), issue))
}

export function readField<S extends z.ZodType>(
  schema: S,
  value: unknown,
  name: string,
): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw usageError(describeIssue(name, value, factsOf(schema), result.error.issues[0]))
}

function describeIssue(
  name: string,
  value: unknown,
  { minimum, maximum }: FieldFacts,
  issue: z.core.$ZodIssue | undefined,
): string {
  const typed = String(value)
  if (value === undefined) return `--${name} is needed.`
  if (issue?.code === 'invalid_value') return checkChoice(name, issue.values.map(String), typed)
  if (minimum === undefined || maximum === undefined) return `--${name}: ${issue?.message ?? typed}`
  return `--${name} takes a number from ${minimum} to ${maximum}, not "${typed}".`
}
