import type { Settings, SettingsPatch } from '../../src-preload/contract/settings.ts'
import { on, request } from '../bridge.ts'
import { createResource } from '../resource.ts'

/** The settings, for everyone who needs one; kept current by events. */
export const appSettings = createResource(() => request('settings.get'))

/** Changes some of them. @throws AppError INVALID_INPUT with the fields that were wrong */
export async function changeSettings(patch: SettingsPatch): Promise<Settings> {
  const next = await request('settings.change', patch)
  appSettings.set(next)
  return next
}

export function startAppSettings(): () => void {
  return on('settings.changed', (settings) => appSettings.set(settings))
}
