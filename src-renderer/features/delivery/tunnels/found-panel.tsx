import type { FoundTunnel, TunnelState } from '../../../../src-preload/contract/tunnel.ts'
import { formatCount } from '../../../ui/format.ts'
import { Button } from '../../../ui/button.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { look, takeFound, useTunnelWork } from './tunnel.ts'
import styles from './tunnels.module.css'

/** What agents on this computer tell of their tunnels. */
export function FoundPanel({ state: { found, asked, publicUrl, source } }: { state: TunnelState }) {
  const isLooking = useTunnelWork((work) => work.isLooking)
  return (
    <section className={styles['panel']} aria-label="Found on this computer">
      <div className={styles['head']}>
        <h2>Found on this computer</h2>
        <span className={styles['end']}>
          <Button icon="refresh" busy={isLooking} onClick={() => void look()}>
            {isLooking ? 'Looking…' : 'Look again'}
          </Button>
        </span>
      </div>
      {found.length === 0 ? (
        <p className={styles['hint']}>
          No agent of ngrok or cloudflared tells of a tunnel. Start one as below, and it shows here.
        </p>
      ) : (
        <ul className={styles['found']}>
          {found.map((tunnel) => (
            <Found
              key={`${tunnel.agent} ${tunnel.publicUrl}`}
              tunnel={tunnel}
              isUsed={tunnel.publicUrl === publicUrl && source === 'found'}
            />
          ))}
        </ul>
      )}
      <details className={styles['asked']}>
        <summary>{formatCount(asked.length, 'address', 'addresses')} asked</summary>
        <table className={styles['askedTable']}>
          <tbody>
            {asked.map(({ agent, address, answer }) => (
              <tr key={address}>
                <th scope="row">{agent}</th>
                <td className={styles['url']}>{address}</td>
                <td>{answer}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}

function Found({ tunnel, isUsed }: { tunnel: FoundTunnel; isUsed: boolean }) {
  const { agent, publicUrl, localUrl, isOurs } = tunnel
  const taking = useTunnelWork((work) => work.taking)
  return (
    <li className={styles['foundOne']}>
      <div className={styles['foundText']}>
        <span className={styles['url']}>{publicUrl}</span>
        <span className={styles['faint']}>
          {agent}
          {localUrl !== null && ` → ${localUrl}`}
        </span>
      </div>
      {isOurs === false ? (
        <Tag tone="warn" title="It leads to another port than the receiver’s">
          not to this receiver
        </Tag>
      ) : isUsed ? (
        <Tag tone="ok">in use</Tag>
      ) : (
        <Button kind="main" busy={taking === publicUrl} onClick={() => void takeFound(publicUrl)}>
          {taking === publicUrl ? 'Checking…' : 'Use and check'}
        </Button>
      )}
    </li>
  )
}
