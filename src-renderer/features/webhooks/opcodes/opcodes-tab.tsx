import type { Webhook } from '../../../../src-preload/contract/index.ts'

export function OpcodesTab({ webhook }: { webhook: Webhook; item: string }) {
  return <p>{webhook.endpoint}</p>
}
