import type { Settings, SettingsPatch } from '../../src-preload/contract/settings.ts'
import { request, put } from './bridge.ts'

/** The groups of the settings, and their sections with titles; a link opens a section by its key. */
export const settingsGroups = {
  Connections: {
    networks: 'Networks and keys',
    receiver: 'Receiver',
    sandbox: 'Sandbox',
    tokens: 'Webhook tokens',
  },
  'Captures and reports': {
    inspector: 'Inspector',
    retention: 'Retention',
  },
  Notices: {
    monitoring: 'Webhooks and notices',
  },
  Window: {
    appearance: 'Appearance',
    desktop: 'Desktop app',
  },
  'Data and diagnostics': {
    data: 'Data and backups',
    diagnostics: 'Diagnostics',
    logs: 'Logs',
    about: 'About',
  },
} as const

type Groups = typeof settingsGroups

export type SettingsSectionId = { [G in keyof Groups]: keyof Groups[G] }[keyof Groups]

/** Changes some settings. @throws AppError INVALID_INPUT that names the invalid fields */
export async function changeSettings(patch: SettingsPatch): Promise<Settings> {
  const next = await request('settings.change', patch)
  put('settings.get', undefined, next)
  return next
}
