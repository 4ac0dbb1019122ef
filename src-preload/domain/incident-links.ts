/** The page of the window that shows the cause of an incident, as a hash. */
export function incidentHash({
  network,
  subject,
}: {
  readonly network: string | null
  readonly subject: string
}): string {
  const [group = '', id = ''] = subject.split(':')
  const search = network === null ? '' : `?network=${network}`
  switch (group) {
    case 'webhook':
      return `#/webhooks/${id}/deliveries${search}`
    case 'target':
      return `#/inspector/forwarding/${id}`
    case 'tunnel':
      return '#/inspector/tunnels'
    case 'invoices':
      return `#/invoices${search}`
    case 'watch':
      return '#/explorer/watched'
    case 'reports':
      return '#/settings/reports'
    case 'disk':
      return '#/settings/retention'
    case 'receiver':
      return '#/settings/receiver'
    default:
      return '#/overview'
  }
}
