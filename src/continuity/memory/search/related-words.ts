import { splitWords } from './words.ts';

/** Words of everyday language and of software that people use as synonyms; one group per line. */
const GROUPS = `
access permission right allow allowed permit permitted consent
add insert introduce new
agree agreement agreed contract sla deal
alarm alert warning page paged pager
ask asked request question want wish
away absent leave vacation holiday out off
back return returned restore restored recover recovered revert
bad wrong broken faulty incorrect invalid corrupt damaged
ban forbid forbidden prohibit prohibited disallow reject rejected refuse refused never
begin start started launch launched kick kickoff onset open
big large huge size
boss lead leader manager head owner responsible charge
bug error failure fault defect issue problem incident outage crash
build compile pipeline ci
buy bought purchase purchased order ordered
call named name called
car vehicle auto
cause caused reason because why origin root due
certificate cert certs
change changed alter altered modify modified switch switched move moved
check verify verified validate test tested review
child kid kids son daughter children
choose chose chosen pick picked decide decided decision select selected settle settled
company firm vendor supplier provider customer client
computer machine server host node
cost price fee charge paid pay money budget expense eur usd
crash crashed die died killed kill stop stopped hang hung
customer client user merchant buyer
damage damaged lost loss corrupt
database db store table schema
date day deadline due schedule
delay late slow latency lag postponed
delete deleted remove removed drop dropped wipe wiped erase purge
deploy deployed release released ship shipped rollout publish published
document docs documentation manual runbook wiki readme
email mail message letter
employee colleague coworker member person people staff team
end finish finished complete completed done close closed
error exception message fail failed
expire expires expiry expiration valid
fast quick quicker speed faster performance
file document sheet spreadsheet excel csv
fix fixed repair repaired solve solved resolve resolved remedy workaround cure
folder directory path
format encoding layout
friend buddy pal mate
get got receive received obtain
give gave hand handed provide deliver delivered send sent
go went travel trip visit
happen occurred occur took
help support assist
hold held kept keep pinned retain retained retention stored stay
hole vulnerability weakness injection leak bounty
home house flat apartment
hour time clock
idea suggestion suggested proposal proposed propose
improve better increase raise raised grow
job work task role position career
key secret credential password token
kind type sort brand
large big great
learn study course class training school
limit maximum cap quota threshold most
location place where site address city town
log logging trace
look search find found discover discovered
love like enjoy favorite favourite prefer
machine server box host
meet meeting met call appointment standup
memory ram heap oom
message notice notification announcement announced
minimum least
mistake error accident
money funds cash paid eur
month monthly year yearly
music song band concert
need require required must necessary
network connection dns link
night nightly overnight
number count amount how many total
occasion event party celebration
old older outdated legacy former previous previously
outside external third
parent mother father mom dad
part piece component module
pet dog cat animal
phone number mobile
plan planned roadmap intend
pressure load traffic
prevent avoid stop guard safeguard protect protection plausibility
program software tool system app application
proud happy glad
question doubt
quit leave left resign
rate speed frequency
read reads import parse
record row entry item
replace replaced instead substitute swap swapped exchange exchanged
report reported told tell
research researcher study student
run ran execute executed
security secure safety
sell sold sale
send sent deliver delivered transmit reach
show display render
sick ill illness doctor hospital
spend spent pay
stand acting deputy substitute replacement
storage disk space volume
story book novel read
switch migrate migrated migration move moved
take took
team group crew
test tests testing spec suite check
thing object
time hour clock when date
tool utility linter lint
twice two double duplicate duplicated
use used using utilize employ
version release pinned tag
walk hike hiking
weekday monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays
word term
work job works working function
worker consumer queue inbox broker kafka
write wrote written author
year annual birthday anniversary
`;

const related = new Map<string, Set<string>>();

/** The stems of the words related to a word. */
export function relatedStems(stem: string): ReadonlySet<string> {
  if (related.size === 0) fillGroups();
  return related.get(stem) ?? NONE;
}

const NONE: ReadonlySet<string> = new Set();

function fillGroups(): void {
  for (const line of GROUPS.trim().split('\n')) {
    const stems = new Set(splitWords(line).map(({ stem }) => stem));
    for (const stem of stems) related.set(stem, new Set([...(related.get(stem) ?? []), ...stems]));
  }
}
