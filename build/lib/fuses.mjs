import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'

/**
 * The values that build/electron-builder.config.cjs sets. They are repeated here, so that a change
 * there is noticed.
 */
export const wantedFuses = {
  RunAsNode: false,
  EnableCookieEncryption: true,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
  LoadBrowserProcessSpecificV8Snapshot: false,
  GrantFileProtocolExtraPrivileges: false,
}

/** Reads the fuses of a built binary or of a macOS app's folder. @returns the wrong fuses */
export async function verifyFuses(binary) {
  const wire = await getCurrentFuseWire(binary)
  return Object.entries(wantedFuses)
    .filter(([name, on]) => (wire[FuseV1Options[name]] === FuseState.ENABLE) !== on)
    .map(([name, on]) => `the fuse ${name} is not ${on ? 'on' : 'off'}`)
}
