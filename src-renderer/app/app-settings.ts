import type { Settings, SettingsPatch } from '../../src-preload/contract/settings.ts'
import { request } from './bridge.ts'
import { resourceOf } from './resource.ts'

export const appSettings = resourceOf('settings.get')

/** Changes some of them. @throws AppError INVALID_INPUT with the fields that were wrong */
export async function changeSettings(patch: SettingsPatch): Promise<Settings> {
  const next = await request('settings.change', patch)
  appSettings.set(next)
  return next
}
