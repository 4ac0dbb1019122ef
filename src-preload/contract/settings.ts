import { z } from 'zod'
import { nothing, route } from './route.ts'

const MiB = 1024 * 1024

export const receiverSettings = z.object({
  /** Port on 127.0.0.1; if it is taken, the next free one is used and said. */
  port: z
    .int()
    .min(1024, 'Choose a port from 1024 to 65535.')
    .max(65_535, 'Choose a port from 1024 to 65535.'),
  /** Bodies above this are answered 413, with their beginning kept. */
  bodyLimitBytes: z
    .int()
    .min(1024, 'At least 1 KiB.')
    .max(64 * MiB, 'At most 64 MiB.'),
  /** Answer 401 to a webhook event whose bearer token is wrong or missing, once a token is known. */
  rejectWrongToken: z.boolean(),
  listenAtStart: z.boolean(),
})

export const retentionSettings = z.object({
  /** Null keeps captures of any age. */
  maxAgeDays: z.int().min(1, 'At least one day.').max(3650, 'At most 3650 days.').nullable(),
  maxCount: z
    .int()
    .min(100, 'At least 100 captures.')
    .max(10_000_000, 'At most 10,000,000 captures.'),
  /** The database and the search index together. */
  maxBytes: z
    .int()
    .min(64 * MiB, 'At least 64 MiB.')
    .max(1024 * 1024 * MiB, 'At most 1 TiB.'),
})

export const sandboxSettings = z.object({
  startWithApp: z.boolean(),
  /** Port on 127.0.0.1; if it is taken, the next free one is used and said. */
  port: z
    .int()
    .min(1024, 'Choose a port from 1024 to 65535.')
    .max(65_535, 'Choose a port from 1024 to 65535.'),
})

export const appearanceSettings = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  /** List width in percent of the page, as the splitter was left. */
  listPercent: z.int().min(20).max(80),
})

export const settings = z.object({
  receiver: receiverSettings,
  retention: retentionSettings,
  sandbox: sandboxSettings,
  appearance: appearanceSettings,
})
export type Settings = z.infer<typeof settings>

export const defaultSettings: Settings = {
  receiver: { port: 4801, bodyLimitBytes: MiB, rejectWrongToken: false, listenAtStart: true },
  retention: { maxAgeDays: null, maxCount: 1_000_000, maxBytes: 2048 * MiB },
  sandbox: { startWithApp: true, port: 4810 },
  appearance: { theme: 'system', listPercent: 62 },
}

/** Each group may be given in part: only the fields named are changed. */
export const settingsPatch = z.object({
  receiver: receiverSettings.partial().optional(),
  retention: retentionSettings.partial().optional(),
  sandbox: sandboxSettings.partial().optional(),
  appearance: appearanceSettings.partial().optional(),
})
export type SettingsPatch = z.infer<typeof settingsPatch>

export const settingsRoutes = {
  'settings.get': route(nothing, settings),
  'settings.change': route(settingsPatch, settings),
} as const

export type SettingsEvents = {
  'settings.changed': Settings
}
