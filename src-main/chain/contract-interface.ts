/** The description of all contracts that share one code, independent of its source format. */
import type { z } from 'zod'
import type { StackName } from './method-stack.ts'

export class InterfaceError extends Error {}

export type FieldType =
  | { readonly kind: 'int'; readonly bits: number; readonly isSigned: boolean }
  /** The number's length in bytes comes first; `coins` is the unsigned kind with 4 bits of length. */
  | { readonly kind: 'varint'; readonly lengthBits: 4 | 5; readonly isSigned: boolean }
  | { readonly kind: 'bits'; readonly bits: number }
  | { readonly kind: 'bool' | 'coins' | 'address' | 'cell' | 'text' | 'dict' | 'rest' }
  | { readonly kind: 'struct'; readonly name: string }
  /** The type is stored in a cell of its own. */
  | { readonly kind: 'ref'; readonly of: FieldType }
  /** The value is in the same cell or in a reference; a leading bit says which. */
  | { readonly kind: 'either' }
  | { readonly kind: 'maybe'; readonly of: FieldType }
  /** One of several types, selected by their prefixes. */
  | {
      readonly kind: 'union'
      readonly of: readonly {
        readonly name: string
        readonly prefix: Prefix
        /** False where the type itself begins with its prefix. */
        readonly isImplicit: boolean
        readonly type: FieldType
      }[]
    }

/** At most 32 bits. */
export type Prefix = { readonly value: number; readonly bits: number }

/**
 * If `startsCell` is set, this field and those after it are in a further cell, the last reference
 * of the one before.
 */
export type Field = {
  readonly name: string
  readonly type: FieldType
  readonly startsCell?: boolean
}

export type Struct = { readonly prefix: Prefix | null; readonly fields: readonly Field[] }

export type Interface = {
  readonly format: 'abi' | 'tlb'
  readonly name: string
  readonly messages: readonly {
    readonly opcode: number
    readonly name: string
    readonly fields: readonly Field[]
  }[]
  readonly structs: ReadonlyMap<string, Struct>
  readonly methods: readonly {
    readonly name: string
    readonly arguments: readonly {
      readonly name: string
      readonly type: string
      readonly kind: 'number' | 'address' | 'cell' | 'slice'
    }[]
    readonly returns: string | null
    /** Names of the values on the stack, in their order; empty for a single value without a name. */
    readonly result: readonly StackName[]
  }[]
  readonly errors: ReadonlyMap<number, string>
  readonly unused: readonly string[]
}

export const maxTypes = 2_000
export const maxFields = 200
const maxUnused = 20
/** Bits of the opcodes that the gateway and Tondesk show. */
export const opcodeBits = 32
/** A form with a longer list of choices would be unusable. */
export const maxVariants = 64

export function formError(language: string, { issues: [issue] }: z.ZodError): InterfaceError {
  const where = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`
  return new InterfaceError(`The ABI is not in the form that ${language} writes (${where}).`)
}

export const messagesOf = (structs: ReadonlyMap<string, Struct>): Interface['messages'] =>
  [...structs].flatMap(([name, { prefix, fields }]) =>
    prefix?.bits === opcodeBits ? [{ opcode: prefix.value, name, fields }] : [],
  )

/** @returns null for a width that the TVM does not have */
export function integerType(bits: number, isSigned: boolean): FieldType | null {
  const isWidth = Number.isInteger(bits) && bits > 0 && bits <= (isSigned ? 257 : 256)
  return isWidth ? { kind: 'int', bits, isSigned } : null
}

export const bitsType = (bits: number): FieldType | null =>
  bits > 0 && bits <= 1023 ? { kind: 'bits', bits } : null

/** A referenced cell whose content is unknown is decoded as a cell. */
export const refType = (of: FieldType | null): FieldType =>
  of === null || of.kind === 'rest' ? { kind: 'cell' } : { kind: 'ref', of }

/** Collects why parts of a description cannot be used. */
export function createUnusedList() {
  const unused: string[] = []
  const leave = (why: string) => {
    if (unused.length < maxUnused) unused.push(why)
  }
  return { unused, leave }
}

/**
 * Throws if a type contains itself within one cell, which no body of finite size could have. A type
 * may contain itself in another cell, as lists do.
 * @returns the types, each after those that it contains
 * @throws InterfaceError
 */
export function refuseCycles(structs: ReadonlyMap<string, Struct>): ReadonlySet<string> {
  const done = new Set<string>()
  for (const start of structs.keys()) {
    const path: { name: string; inner: string[] }[] = []
    const enter = (name: string) => {
      if (path.some((each) => each.name === name)) {
        const names = [...path.map((each) => each.name), name].slice(-5)
        throw new InterfaceError(`The type ${name} contains itself: ${names.join(' → ')}.`)
      }
      if (done.has(name)) return
      const fields = structs.get(name)?.fields ?? []
      path.push({ name, inner: fields.flatMap(({ type }) => structsIn(type)) })
    }
    enter(start)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.inner.pop()
      if (next !== undefined) enter(next)
      else {
        done.add(top.name)
        path.pop()
      }
    }
  }
  return done
}

/** The types that a body of finite size can have: those that do not contain themselves in one cell. */
export function finiteTypes(structs: ReadonlyMap<string, Struct>): ReadonlySet<string> {
  const users = new Map<string, string[]>()
  const open = new Map<string, number>()
  for (const [name, { fields }] of structs) {
    const inner = fields.flatMap(({ type }) => structsIn(type)).filter((each) => structs.has(each))
    open.set(name, inner.length)
    for (const each of inner) users.set(each, [...(users.get(each) ?? []), name])
  }
  const finite = new Set([...open].flatMap(([name, count]) => (count === 0 ? [name] : [])))
  for (const name of finite) {
    for (const user of users.get(name) ?? []) {
      const left = (open.get(user) ?? 0) - 1
      open.set(user, left)
      if (left === 0) finite.add(user)
    }
  }
  return finite
}

export function structsIn(type: FieldType): string[] {
  if (type.kind === 'struct') return [type.name]
  if (type.kind === 'maybe') return structsIn(type.of)
  return type.kind === 'union' ? type.of.flatMap((each) => structsIn(each.type)) : []
}

/** Further values of a get method get no names. */
export const maxStackNames = 1_000
