import { z } from 'zod'
import {
  type Settings,
  type SettingsPatch,
  defaultSettings,
  settings as settingsSchema,
} from '../../../src-preload/contract/settings.ts'
import type { Database } from '../../database/database.ts'
import { readJson } from '../../../src-preload/domain/read-json.ts'

export type Values = ReturnType<typeof createValues>

export function createValues(database: Database) {
  const select = database.prepare('SELECT value FROM settings WHERE key = ?')
  const upsert = database.prepare(
    `INSERT INTO settings (key, value) VALUES (?, ?)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  )
  return {
    get<T>(key: string, schema: z.ZodType<T>, fallback: T): T {
      const text = select.get(key)?.['value']
      if (typeof text !== 'string') return fallback
      const parsed = schema.safeParse(readJson(text))
      return parsed.success ? parsed.data : fallback
    },
    set(key: string, value: unknown): void {
      upsert.run(key, JSON.stringify(value))
    },
  }
}

/** The number of items that a request to a network may contain, as learned from its responses. */
export const createLearnedLimits = (values: Values, key: (network: string) => string) => ({
  get: (network: string) => values.get(key(network), z.int().positive().nullable(), null),
  set: (network: string, limit: number) => values.set(key(network), limit),
})

const settingsKey = 'settings'

/**
 * Replaces invalid fields by their defaults one by one, so that an invalid value does not affect
 * the others.
 */
function repair(stored: unknown): Settings {
  const whole = settingsSchema.safeParse(stored)
  if (whole.success) return whole.data
  const group = z.record(z.string(), z.unknown()).catch({})
  const groups = z.record(z.string(), group).catch({}).parse(stored)
  const repaired: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(settingsSchema.shape)) {
    const defaults: Record<string, unknown> = defaultSettings[name as keyof Settings]
    const fields: Record<string, z.ZodType> = schema.shape
    repaired[name] = Object.fromEntries(
      Object.entries(fields).map(([field, fieldSchema]) => {
        const read = fieldSchema.safeParse(groups[name]?.[field])
        return [field, read.success ? read.data : defaults[field]]
      }),
    )
  }
  return settingsSchema.parse(repaired)
}

function named<T extends object>(group: T | undefined): Partial<T> {
  const entries = Object.entries(group ?? {}).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Partial<T>
}

export function createSettings(values: Values) {
  const read = () => repair(values.get(settingsKey, z.unknown(), defaultSettings))
  return {
    get: read,
    change(patch: SettingsPatch): Settings {
      const before = read()
      const after = settingsSchema.parse(
        Object.fromEntries(
          Object.entries(before).map(([group, fields]) => [
            group,
            { ...fields, ...named(patch[group as keyof Settings]) },
          ]),
        ),
      )
      values.set(settingsKey, after)
      return after
    },
  }
}
