import type { Network } from '../../../../src-preload/contract/network.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import text from '../../../ui/text.module.css'
import { commandLine } from './plan-words.ts'
import styles from './file.module.css'

/** What does the same in a terminal, to be copied. */
export function CommandLine({
  act,
  file,
  network,
}: {
  act: 'plan' | 'apply'
  file: string
  network: Network
}) {
  const command = commandLine(act, file, network.id)
  return (
    <p className={styles['command']}>
      <code className={text['mono']}>{command}</code>
      <CopyButton text={command} what={`Command to ${act}`} iconOnly kind="quiet" />
    </p>
  )
}
