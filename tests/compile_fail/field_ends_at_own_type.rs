//! A type of the program's own is no key before it says so.

use larder::field;

struct Team(String);

struct Plan {
    owner: Option<Team>,
}

fn main() {
    let _ = field!(Plan, owner);
}
