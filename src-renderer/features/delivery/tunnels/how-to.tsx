import { useEffect } from 'react'
import { on, request } from '../../../app/bridge.ts'
import { createResource, useResource, valueOf } from '../../../app/resource.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import styles from './tunnels.module.css'

const instructions = createResource(() => request('tunnel.instructions'))

/** How to start each, with the command for the port of now. */
export function HowTo() {
  const list = valueOf(useResource(instructions)) ?? []
  useEffect(() => {
    // The port may have changed while another page was open.
    void instructions.reload()
    return on('receiver.changed', () => void instructions.reload())
  }, [])
  return (
    <section className={styles['panel']} aria-label="Start a tunnel">
      <div className={styles['head']}>
        <h2>Start a tunnel</h2>
      </div>
      {list.map(({ agent, text, command }) => (
        <div key={agent} className={styles['howTo']}>
          <h3>{agent}</h3>
          <p className={styles['hint']}>{text}</p>
          <div className={styles['command']}>
            <code>{command}</code>
            <CopyButton text={command} what={`Command for ${agent}`} iconOnly kind="quiet" />
          </div>
        </div>
      ))}
    </section>
  )
}
