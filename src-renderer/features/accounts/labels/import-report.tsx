import type { LabelImport } from '../../../../src-preload/contract/label.ts'
import { formatCount, formatNumber } from '../../../format.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import table from '../../../ui/table.module.css'
import text from '../../../ui/text.module.css'
import { UntrustedText } from '../../inspector/body/untrusted-text.tsx'
import styles from './labels.module.css'

/** What an import did, and each line it left out with the reason. */
export function ImportReport({
  file,
  outcome,
  onClose,
}: {
  file: string
  outcome: LabelImport
  onClose: () => void
}) {
  const { added, changed, unchanged, refused, refusedCount } = outcome
  const printed = refused.map(({ line, text: words, reason }) => `${line}\t${words}\t${reason}`)
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={`“${file}” imported`}
      detail={`${formatCount(added, 'name')} added, ${formatNumber(changed)} changed, ${formatNumber(unchanged)} as they were.`}
      buttons={
        <>
          {refused.length > 0 && <CopyButton text={printed.join('\n')} what="Refused lines" />}
          <Button kind="main" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      {refusedCount > 0 && (
        <>
          <h3>{formatCount(refusedCount, 'line')} left out</h3>
          <div className={styles['refused']} tabIndex={0} role="region" aria-label="Lines left out">
            <table className={table['table']}>
              <thead>
                <tr>
                  <th scope="col" className={table['number']}>
                    Line
                  </th>
                  <th scope="col">As it stands</th>
                  <th scope="col">Why</th>
                </tr>
              </thead>
              <tbody>
                {refused.map(({ line, text: words, reason }) => (
                  <tr key={line}>
                    <td className={table['number']}>{formatNumber(line)}</td>
                    <td className={text['mono']}>
                      <UntrustedText text={words} />
                    </td>
                    <td className={styles['why']}>{reason}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {refusedCount > refused.length && (
            <p className={text['dim']}>Only the first {formatNumber(refused.length)} are shown.</p>
          )}
        </>
      )}
    </Dialog>
  )
}
