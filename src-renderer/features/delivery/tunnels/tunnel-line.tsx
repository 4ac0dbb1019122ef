import { Moment } from '../../../ui/moment.tsx'
import { useResource, valueOf } from '../../../app/resource.ts'
import { printRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { checkTunnel, tunnel, tunnelsHome, useTunnelWork } from './tunnel.ts'
import styles from './tunnels.module.css'

/** The tunnel's health in a line; null-ish where there is none to speak of. */
export function TunnelLine() {
  const state = valueOf(useResource(tunnel))
  const isChecking = useTunnelWork((work) => work.isChecking)
  if (state === null) return null
  const { publicUrl, check, former } = state
  const href = printRoute(tunnelsHome)
  if (publicUrl === null) {
    return (
      <span className={styles['line']}>
        none: gateways reach this computer <a href={href}>through a tunnel</a>
      </span>
    )
  }
  return (
    <span className={styles['line']}>
      <a href={href}>
        <Tag tone={check === null ? 'plain' : check.ok ? 'ok' : 'bad'}>
          {check === null ? 'not checked yet' : check.ok ? 'works' : 'does not work'}
        </Tag>
      </a>
      {check !== null && <Moment at={check.at} className={styles['faint']} />}
      <Button kind="quiet" busy={isChecking} onClick={() => void checkTunnel()}>
        {isChecking ? 'Checking…' : 'Check'}
      </Button>
      {former !== null && <a href={href}>webhooks at the URL before</a>}
    </span>
  )
}
