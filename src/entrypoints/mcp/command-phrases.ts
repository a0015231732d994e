/**
 * The words in which people and models ask for a command, in addition to the words of its summary. `find` ranks by both; a test asks labelled
 * questions. One line per command: synonyms first, then typical questions.
 */
export const COMMAND_PHRASES: Readonly<Record<string, string>> = {
  reference:
    'help manual api schema spec list all commands flags how do i use syntax parameters machine readable description of everything documentation docs for all commands as json machine readable catalogue usage',
  context:
    'whoami which account user home environment version credentials api keys configured am i signed in where is the home folder which machine which version where does deed keep its files',
  doctor:
    'diagnose health check broken problem not working fix troubleshoot installation is everything ok self test repair what is wrong with my set up check my machine is my set up setup healthy installation ok does it work here sanity check environment',
  changelog:
    'whats new release notes latest version changes history what changed in this version upgrade notes',
  completion: 'tab autocomplete shell bash zsh fish completion script',
  'audit list':
    'who did what when log of calls activity trail history of commands which commands were run recent calls by agent show the last calls command history who ran called yesterday which calls failed is another bot agent using this',
  'audit export':
    'dump audit log ndjson siem compliance send call history to file archive hand the call log to an auditor',
  'audit verify':
    'tamper tampered manipulated integrity of the log altered hash chain forged did anybody change the audit trail trustworthy',
  'audit retire':
    'log too big old months of the call log shrink compress summarise summarize archive clean up audit history remove old entries retention',
  'config get':
    'value of one setting read option what is configured for current value is it on or off own choice or default which file does it come from how is it set look at a single preference',
  'config list':
    'which settings are there options preferences configuration all values where does a setting come from show my current settings see everything that is set effective values overrides',
  overview:
    'what is going on now overview dashboard what runs what waits for me what should i do next start page summary of everything',
  man: 'manual page man groff documentation to print offline help troff',
  'config set':
    'change a setting option default page size limit timeout configure turn on turn off enable disable retention period days how long to keep things adjust raise lower a number pick a value',
  'config unset':
    'reset option to default factory value remove a setting undo my change of a setting clear override',
  'config trust':
    'trust allow folder repository configuration file ignored project settings untrusted accept',
  resume:
    'what was i doing focus where were we pick up continue previous session catch me up after compaction hand over last time unread news context for a fresh agent',
  brief:
    'focus where do things stand overview peek summary handover notes without advancing cursor situation current focus remind me',
  push: 'log progress record event report what happened several things at once in one call note decision finished step batch of event memory artifact status update write down what i did attach file deliverable leave a message for whoever comes next tell the next agent note for my successor hand over',
  status:
    'how many tasks open counts store health is the database reachable hooks installed numbers overview of the store quick numbers is it working which other agents bots use the same database who is active',
  'task create': 'new todo ticket issue add work item file a bug put on the list backlog entry plan a task',
  'task begin': 'start working on claim take lock ticket assign to me mark in progress i will do this',
  'task heartbeat': 'still working keep claim alive extend lease renew lock not finished yet',
  'task get':
    'show one task details of a ticket description acceptance look up task by id read a ticket tell me about this task who holds has owns the claim on this ticket assigned to whom holder state of one task',
  'task list':
    'show backlog todos tickets open blocked in progress all tasks filter board who works on what what is open what remains to be done everything in the queue',
  'task take':
    'take grab pull claim the next available free task from the queue atomically start whatever is next get me work assign me something',
  'task next':
    'what should i work on now next ready task pick something highest priority unblocked anything left to do give me something to do which ticket is next upcoming work',
  'task edit': 'rename ticket change the title rewrite description text correct a typo wording reword',
  'task set-status': 'mark as blocked pending in progress reopen change state move ticket column put back',
  'task set-priority':
    'urgent prioritise prioritize important raise lower priority reorder bump ticket first',
  'task complete':
    'finish done close ticket resolve finished mark as completed end with summary could not finish blocked outcome',
  'task add-dep':
    'depends on blocked by waits for cannot start until prerequisite order link tasks dependency',
  'task remove-dep': 'unlink no longer waits for remove dependency independent unblock',
  'task delete': 'throw away duplicate todo remove ticket discard cancel task',
  'memory set':
    'remember that note down fact decision convention preference store keep for later sessions jot learn save we use leave a message note for whoever comes next tell future agents make a note persist',
  'memory get':
    'recall what did we say about value of a key look up a fact read one memory what is stored under this key exact note what did we decide about one topic',
  'memory list':
    'everything you remember all notes facts stored knowledge keys in project which decisions have we made so far',
  'memory search':
    'find note did we ever mention search knowledge full text anything about recall by words what did we write down about what do we know about anything noted said remembered look for a topic in notes what did we decide agree conclude about decision made earlier',
  'memory history':
    'previous values older versions of a note who changed overwrote overwritten memory before',
  'memory confirm': 'still true valid verified memory fact reconfirm refresh checked again up to date',
  'memory delete': 'forget remove fact wrong outdated memory erase note drop',
  'memory gc': 'clean expired stale memories purge old outdated notes tidy knowledge garbage collect',
  'events list':
    'timeline journal what happened recently log of events activity of agents stream of progress history today yesterday what did the other agent do show last progress entries is another bot agent active using the same database who else writes here',
  'artifacts list':
    'files produced outputs deliverables reports attached results where is the file that was made where did it put the output',
  'store backup':
    'back up backup the store save copy of the database snapshot before risky change backup safe copy keep a spare duplicate the data file',
  'store check':
    'database corrupt integrity consistent damaged verify store sqlite malformed disk image broken page checksum is my data intact healthy',
  'store copy':
    'copy the store to postgres database server move tasks and memory from the file to a shared database and back',
  'store use':
    'use a postgres database shared by several machines as the store switch connect team store address',
  'store export':
    'dump all data tasks memory to file move to another machine json take my data out portable copy backup as json',
  'store import': 'load dump restore data into fresh database from another machine migrate in bring over',
  'store restore':
    'bring back the store from a backup lost database emptied damaged file gone recover yesterday copy return to the last good copy',
  'store vacuum':
    'shrink compact database file too large reclaim space of deleted rows sqlite vacuum file size smaller',
  'store upgrade': 'migrate database schema too old newer version upgrade store migration',
  'hook install':
    'set up claude code opencode record sessions automatically capture integrate connect hooks make my editor or agent record automatically start capturing',
  'hook uninstall': 'remove hooks stop recording sessions disconnect claude code turn off capture',
  loop: 'work through the queue unattended overnight keep running agent until all tasks done autonomous continuous worker do all tasks one after another batch of tasks without me',
  'loop stats':
    'how many tasks succeeded last night unattended run statistics success rate of loop how did the automatic runs over the queue go yesterday',
  'agent run':
    'ask a model llm prompt file session run an ai agent with tools answer a question budget one shot chat let a model answer use a prompt with tools',
  'agent sessions list':
    'which agent sessions are stored interrupted sessions to resume earlier runs of the model killed session ids find a session to continue',
  'agent sessions show':
    'what did an agent session do conversation transcript of a stored session tool calls spent cost of one session',
  'agent costs':
    'how much did agents spend today what did it cost in total money tokens per model bill of the week spending since monday usage sum of all sessions and runs',
  'agent login': 'sign in to an mcp tool server oauth authorize token authentication',
  'agent sessions prune': 'delete old agent sessions free space of transcripts remove stored conversations',
  'agent tools':
    'which tools does an mcp server expose list tools of an agent functions available schema of tool inspect server what can the agent call',
  'agent validate':
    'lint check prompt file before running is my ai agent configuration valid dry errors test my agent yaml file is it correct syntax check verify definition',
  'worker start': 'run items of a queue on this host machine build server agent pool serve the fleet',
  'integrator start': 'merge queue land results of workers on main promote branch of the fleet',
  'worker list': 'which hosts machines run items of the queue fleet workers integrators alive idle lost',
  'worker drain':
    'stop a worker gracefully finish current items maintenance of a host take it out of the fleet',
  'work run':
    'run claude codex agent on a plan task in a sandbox execute items atomic change apply make code change with tests isolated implement safely',
  'work status': 'is the job still running progress of a job how far items done',
  'work result':
    'outcome of a job what came out wait for the job final result fetch output of a detached background job now that it is done',
  'work cancel':
    'abort stop job interrupt running work kill the run abort running job halt stop it now give up interrupt call off',
  'work fleet':
    'jobs of all hosts machines in the queue shared store who runs what where since when which attempt last line other homes fleet overview',
  'work list':
    'history of runs which failed succeeded past jobs last night recent runs what files did agents change in the last runs overview of recent work everything that ran earlier executions previous past which changes await wait for my approval pending approvals to review',
  'work show':
    'which files did a run modify why denied details of a run changes tests reason inspect what files did the agents change in the last runs diff of a run see what was done touched created deleted',
  'work log':
    'what did the agent print output of an agent live follow tail logs console transcript what is it doing right now watch it work stdout stderr',
  'work diff':
    'show me the changes before i approve review patch unified diff what lines did the run change per file stat added deleted lines',
  'work graph':
    'visualise visualize dependency dag plan mermaid diagram order of items levels what depends on what picture draw',
  'work replay':
    'reproducible do it again compare hashes rerun same result deterministic verify reproduction reproduce reproduced bit for bit identical byte repeat a run prove it can be repeated',
  'work approve':
    'authorize accept change pending review allow go ahead merge sign off let it through which changes await wait for my approval waiting for a decision from me say yes',
  'work reject': 'decline refuse proposed patch deny change no not good discard waiting run',
  'work revise':
    'send back request changes ask the agent to redo try again with feedback comment review remark not good enough improve it second attempt',
  'work rollback':
    'undo last change revert restore files as they were before back out take back what the agent did',
  'work commit':
    'git commit the changes of a run with its run id and receipt as trailers save what the agent did in git history land on a branch',
  'work blame':
    'which run wrote this line who changed this line of code git blame for agents origin of a line which agent introduced this',
  'work recover':
    'crash power cut killed in the middle half done leftover interrupted runs finish clean up after crash machine rebooted died restart pick up unfinished',
  'work gc':
    'disk space old workspaces delete snapshots free storage big folder cache runs take up too much space prune remove old runs',
  gc: 'home folder too large retention how long is everything kept clean up all old data sizes of all parts yearly growth housekeeping what may be deleted',
  'receipt show':
    'proof of execution in-toto attestation signed statement of one run provenance slsa evidence of what a run did who signed prove that a change came from this run',
  'receipt export':
    'give a receipt to a third party another machine auditor sigstore bundle slsa provenance file cosign public key download attestation',
  'receipt list': 'all proofs of execution issued so far receipts attestations',
  'receipt verify':
    'is this receipt genuine valid signature check proof forged authentic chain check an attestation from somebody else trust came from this run',
  'receipt trust':
    'add a public key of a worker integrator host to the keyring trusted signer fleet allow its results',
  'receipt untrust':
    'remove a public key from the keyring revoke a stolen key of a host compromised worker signer',
  'receipt signers': 'who is trusted keyring fingerprints public keys of workers integrators',
  'triage snapshot':
    'list processes what is running now cpu memory usage who uses resources scan ps top everything that runs on this box process table inventory record capture store the state of all pids now save current process list measurement',
  'triage plan':
    'leftover processes orphaned zombie runaway find what was left running hogging cpu memory slow laptop fan dev server port taken clean up candidates propose what can be killed leak',
  'triage explain':
    'why kill this pid reason evidence for a process explain decision what is process port taken by tell me about this process is it safe to end should it live justify how sure certain confident are you about that verdict probability confidence score judgement of a process',
  'triage apply':
    'kill end terminate processes clean up now execute the plan go ahead free memory stop leftover dev servers proposed carry out',
  'triage verify':
    'are they really gone did the kill work check after clean up outcome still running respawned how much memory was freed effect measured afterwards did killing those processes actually free anything help were they ended recovered memory',
  'triage diff':
    'what processes appeared vanished since earlier scan compare two snapshots difference new processes between two scans changed before after',
  'triage status':
    'how far did clean up get triage session state interrupted progress of apply where did the clean up stop how to continue it resume an interrupted apply which step is it at',
  'triage fleet':
    'what is left running on other hosts machines servers of the fleet leftover processes everywhere memory per host report of workers',
  'triage sessions': 'past clean ups earlier process scans previous plans list of triage sessions history',
  'triage export':
    'bundle evidence session to file share support archive of a clean up hand the results of a triage to a colleague as a file send attach give',
  'triage report':
    'html page graphs for my boss human readable report of clean up hand results to a colleague as a file share document web page',
  'triage capabilities':
    'can i use pidfd cgroups permissions to signal processes what is supported on this machine can i throttle or pause processes without root on this box privileges kernel features allowed available',
  'triage watch': 'monitor keep watching runaway processes every minute alert continuously daemon',
  'triage protect list':
    'which programs are protected never killed spared names shipped list of exceptions safe list whitelist allowlist what names are exempt excluded from clean up immune which programs are off limits ignored untouchable',
  'triage protect add':
    'never kill this program again spare my database keep this name safe exception whitelist allowlist do not touch',
  'triage protect remove':
    'no longer spare a program name undo protection stop protecting delete exception from the safe list',
  'triage feedback':
    'tell it was wrong about a process this one is useful keep it that one is really abandoned gone correct the judgement teach learn label',
  setup:
    'first steps after installing get started configure claude code codex gemini cursor opencode on this account add the mcp server skill and instructions',
  'setup undo': 'uninstall deed from my coding agents take back the set up restore their configuration files',
  web: 'browser web page ui dashboard watch review approve decide in a browser',
  'mcp serve': 'connect cursor claude desktop over http stdio model context protocol server endpoint',
  demo: 'quick tour show me what this can do example try it out demonstration',
  update: 'upgrade deed newest version install latest self update am i up to date get a new release',
};
