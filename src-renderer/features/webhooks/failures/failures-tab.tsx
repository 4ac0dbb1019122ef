import type { Webhook } from '../../../../src-preload/contract/index.ts'

export function FailuresTab({ webhook }: { webhook: Webhook; item: string }) {
  return <p>{webhook.endpoint}</p>
}
