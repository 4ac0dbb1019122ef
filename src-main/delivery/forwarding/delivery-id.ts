/**
 * `X-Tondesk-Delivery`: the same in each try of one capture at one target, on this installation. The
 * moment of arrival is part of it: after a backup was put back ids of captures are given out again.
 */
export function deliveryId(
  install: string,
  { target, capture, receivedAt }: { target: number; capture: number; receivedAt: number },
): string {
  return `${install}-${target}-${capture}-${receivedAt.toString(36)}`
}

/** @returns null for what is no such id */
export function readDeliveryId(id: string): { target: number; capture: number } | null {
  const [, target, capture] = /^[0-9a-f]+-(\d{1,15})-(\d{1,15})-[0-9a-z]+$/.exec(id) ?? []
  if (target === undefined || capture === undefined) return null
  return { target: Number(target), capture: Number(capture) }
}
