import type { Settings, SettingsPatch } from '../../src-preload/contract/settings.ts'
import { request, put } from './bridge.ts'

/** The sections of the settings with their titles; a link opens one by its key. */
export const settingsSections = {
  networks: 'Networks and keys',
  receiver: 'Receiver',
  sandbox: 'Sandbox',
  tokens: 'Webhook tokens',
  inspector: 'Inspector',
  monitoring: 'Webhooks and notices',
  retention: 'Retention',
  appearance: 'Appearance',
  desktop: 'Desktop app',
  data: 'Data and backups',
  diagnostics: 'Diagnostics',
  logs: 'Logs',
  about: 'About',
} as const

/** Changes some of them. @throws AppError INVALID_INPUT with the fields that were wrong */
export async function changeSettings(patch: SettingsPatch): Promise<Settings> {
  const next = await request('settings.change', patch)
  put('settings.get', undefined, next)
  return next
}
